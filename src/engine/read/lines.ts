const NEWLINE = 0x0a;

/** Splits a stream of bytes into lines; stops listening once `onLine` says that no more are wanted. */
export class LineReader {
  readonly #onLine: (line: string) => boolean;
  #pending: Buffer[] = [];
  #held = 0;
  #open = true;

  constructor(onLine: (line: string) => boolean) {
    this.#onLine = onLine;
  }

  /** Takes a piece of output; returns how many bytes wait for their line to end. */
  add(chunk: Buffer): number {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); this.#open && at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      this.#pending.push(chunk.subarray(start, at));
      start = at + 1;
      this.#open = this.#onLine(this.#take());
    }
    if (this.#open && start < chunk.length) {
      this.#pending.push(chunk.subarray(start));
      this.#held += chunk.length - start;
    }
    return this.#held;
  }

  #take(): string {
    const [only] = this.#pending;
    const line = this.#pending.length === 1 && only !== undefined ? only : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#held = 0;
    return line.toString('utf8');
  }
}
