/** Holds output until it is wanted as text, or not wanted any more. */
export class Collector {
  #chunks: Buffer[] = [];
  #held = 0;
  #open = true;

  /** Bytes that are held. */
  get held(): number {
    return this.#held;
  }

  /** Takes a piece of output; returns how many bytes are now held. */
  add(chunk: Buffer): number {
    if (this.#open) {
      this.#chunks.push(chunk);
      this.#held += chunk.length;
    }
    return this.#held;
  }

  /** What is held, as text. Nothing is held afterwards. */
  take(): string {
    const [first] = this.#chunks;
    // Most answers come in one piece, which need not be copied.
    const bytes = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#clear();
    return bytes.toString('utf8');
  }

  /** Takes no more, and lets go what is held. */
  close(): void {
    this.#open = false;
    this.#clear();
  }

  #clear(): void {
    this.#chunks = [];
    this.#held = 0;
  }
}
