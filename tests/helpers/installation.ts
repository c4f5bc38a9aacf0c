import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ENGINE } from './engines.js';
import { PROJECT } from './files.js';

/** The folder of the package `@deckflow/deckprobe`, where it is installed here. */
export const REAL_SDK = (() => {
  try {
    return path.dirname(createRequire(import.meta.url).resolve('@deckflow/deckprobe/package.json'));
  } catch {
    return undefined;
  }
})();

/**
 * Puts the built server into a folder as npm would. Its bin holds its dependencies.
 * @returns the bin of that installation.
 */
export function installServer(folder: string): string {
  mkdirSync(path.join(folder, 'node_modules', '@deckflow'), { recursive: true });
  for (const part of ['dist', 'package.json'])
    cpSync(path.join(PROJECT, part), path.join(folder, part), { recursive: true });
  return path.join(folder, 'dist', 'main.js');
}

/** Adds the native engine's platform package. @returns the engine. */
export function installNative(folder: string): string {
  const source = path.dirname(path.dirname(ENGINE));
  const target = path.join(folder, 'node_modules', '@deckflow', path.basename(source));
  cpSync(source, target, { recursive: true });
  return path.join(target, 'bin', path.basename(ENGINE));
}

/** Adds the WebAssembly engine: the real package where it is installed here, else the stand-in. */
export function installWasm(folder: string): void {
  const target = path.join(folder, 'node_modules', '@deckflow', 'deckprobe');
  cpSync(REAL_SDK ?? path.join(PROJECT, 'tests', 'wasm', 'stand-in'), target, { recursive: true });
  if (REAL_SDK === undefined) writeFileSync(path.join(target, 'engine.json'), JSON.stringify(ENGINE));
}
