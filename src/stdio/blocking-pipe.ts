import { fstatSync, write } from 'node:fs';
import { Writable } from 'node:stream';

/**
 * A pipe that takes as long as its reader, written to on a thread of its own. On Windows Node writes to the pipes of its
 * standard streams synchronously: a reader that stops would stop the server, its deadlines and its end.
 *
 * A write that waits for the reader cannot be called off, and an ordinary exit would wait for its thread.
 */
export class BlockingPipe extends Writable {
  readonly #fd: number;
  #writing = false;

  /** @param fd the pipe; from now on nothing else may write to it. */
  constructor(fd: number) {
    super({ decodeStrings: true });
    this.#fd = fd;
  }

  /** Whether a thread is writing now. */
  get isWriting(): boolean {
    return this.#writing;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#writing = true;
    write(this.#fd, chunk, (error, written) => {
      this.#writing = false;
      if (error !== null || written >= chunk.length) done(error);
      else this._write(chunk.subarray(written), _encoding, done);
    });
  }
}

/** Whether a descriptor is a pipe whose reader would block this process: on Windows, any pipe. */
export function isBlockingPipe(fd: number, platform: NodeJS.Platform = process.platform): boolean {
  if (platform !== 'win32') return false;
  try {
    const stats = fstatSync(fd);
    return !stats.isFile() && !stats.isCharacterDevice() && !stats.isDirectory();
  } catch {
    return false;
  }
}
