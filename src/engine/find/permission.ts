import { PATH_LIMIT, quote } from '../../errors.js';
import type { FileSystem, PrivateCopy } from '../../filesystem.js';
import { unlessAborted } from '../call.js';
import { executableName } from './platform.js';

/** The engine has a few MiB: to change or copy it takes no longer, milliseconds. */
const PATIENCE_MS = 5000;
/** The end of the server waits for this long, milliseconds. */
const REMOVAL_MS = 500;

const LATE = `no answer within ${PATIENCE_MS} ms`;

/** What can be started in place of a packaged engine that may not be executed, or why nothing can. */
export type Granted = { readonly command: string } | { readonly problem: string };

/**
 * Permission for the packaged engine, which desktop clients unpack with mode 0600
 * (https://github.com/modelcontextprotocol/mcpb/issues/294). It gets its owner's executable bit; where that cannot be
 * changed, a private copy is made for as long as this process runs. Nothing else is ever written by the server.
 */
export class EnginePermission {
  readonly #files: FileSystem;
  readonly #log: (line: string) => void;
  #swept = false;
  #copy: Promise<PrivateCopy | undefined> | undefined;

  constructor(files: FileSystem, log: (line: string) => void) {
    this.#files = files;
    this.#log = log;
  }

  /** Removes what servers that were killed have left behind, once. Nobody has to wait for it. */
  sweep(): void {
    if (this.#swept) return;
    this.#swept = true;
    const name = executableName(process.platform);
    const patience = AbortSignal.timeout(PATIENCE_MS);
    if (process.platform !== 'win32') void this.#files.ask('sweep', { name }, patience).catch(() => {});
  }

  /** @param command a package's own engine, never one that an operator named or that was found on PATH. */
  async grant(command: string, signal: AbortSignal): Promise<Granted> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const ask = <Gives>(work: Promise<Gives | undefined>) => unlessAborted(settled(work, patience), signal);
    const refusal = await ask(this.#files.ask('allow', { path: command }, patience));
    if (refusal === null) {
      this.#log(`engine ${quote(command, PATH_LIMIT)} was not executable: its owner may execute it now`);
      return { command };
    }
    await this.remove();
    this.#copy = settled(this.#files.ask('copy', { path: command, pid: process.pid }, patience), patience);
    const copied = await unlessAborted(this.#copy, signal);
    const why = `it is not executable, and that cannot be changed (${refusal ?? LATE})`;
    if (copied === undefined || 'problem' in copied)
      return { problem: `${why}; nor can it be copied (${copied?.problem ?? LATE})` };
    this.#log(`engine ${quote(command, PATH_LIMIT)} is served by a copy for this session: ${why}`);
    return { command: copied.file };
  }

  /** Removes the copy, where there is one. Settles in time for the server's end. */
  async remove(): Promise<void> {
    const patience = AbortSignal.timeout(REMOVAL_MS);
    const copied = this.#copy && (await unlessAborted(this.#copy, patience));
    this.#copy = undefined;
    if (copied === undefined || 'problem' in copied) return;
    await settled(this.#files.ask('remove', { copy: copied.file }, patience), patience);
  }
}

/** What an operation gives, or undefined where it fails as a whole or does not come back in time. */
function settled<Gives>(work: Promise<Gives | undefined>, patience: AbortSignal): Promise<Gives | undefined> {
  return unlessAborted(
    work.catch(() => undefined),
    patience,
  );
}
