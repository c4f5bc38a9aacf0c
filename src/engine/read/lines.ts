import { OUTPUT_LIMIT } from '../call.js';
import { Collector } from './collector.js';

const NEWLINE = 0x0a;

/** Splits a stream of bytes into lines; stops listening once `onLine` says that no more are wanted. */
export class LineReader {
  readonly #onLine: (line: string) => boolean;
  readonly #pending = new Collector();
  #open = true;

  constructor(onLine: (line: string) => boolean) {
    this.#onLine = onLine;
  }

  /**
   * Takes a piece of output; returns how many bytes wait for their line to end, or the length of a line that is longer than
   * output may be: on Windows a piece is as large as what the pipe holds, so that such a line may come whole.
   */
  add(chunk: Buffer): number {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); this.#open && at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      const length = this.#pending.add(chunk.subarray(start, at));
      if (length > OUTPUT_LIMIT) return length;
      start = at + 1;
      this.#open = this.#onLine(this.#pending.take()) && this.#open;
    }
    return this.#open && start < chunk.length ? this.#pending.add(chunk.subarray(start)) : this.#pending.held;
  }

  /** Takes no more, and lets go what waits for its line to end. */
  close(): void {
    this.#open = false;
    this.#pending.close();
  }
}
