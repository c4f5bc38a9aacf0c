/*
 * The WebAssembly engine: a Node process behind the native engine's command line (runner, command-line), which calls the
 * engine's SDK (sdk), reads documents as the native engine does (source) and derives the view that the SDK lacks
 * (values-view). The server itself loads none of these; it only has to know what to look for and what to start.
 */
import { fileURLToPath } from 'node:url';

/** The launcher package, which also carries the WebAssembly engine. */
export const SDK_PACKAGE = '@deckflow/deckprobe';

/** The file of the process that serves the WebAssembly engine. */
export function wasmRunner(): string {
  return fileURLToPath(new URL('./runner.js', import.meta.url));
}
