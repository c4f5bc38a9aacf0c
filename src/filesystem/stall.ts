/** Nothing comes back when nothing has for this long, milliseconds. */
const STALLED_MS = 250;

/** Tells whether what is out comes back while something waits for it. */
export class StallWatch {
  readonly #waits: () => boolean;
  readonly #onStalled: () => void;
  #lastReturn = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param waits whether anything waits still. @param onStalled told when it does and nothing has come back for a while. */
  constructor(waits: () => boolean, onStalled: () => void) {
    this.#waits = waits;
    this.#onStalled = onStalled;
  }

  /** Something has come back. */
  returned(): void {
    this.#lastReturn = performance.now();
  }

  /** Something waits: looks after a while, and again as long as something comes back. */
  begin(): void {
    if (this.#timer !== undefined) return;
    const since = performance.now();
    // When the event loop was busy, the timer is due before the loop has seen what came back: immediates run after that.
    this.#timer = setTimeout(() => setImmediate(() => this.#judge(since)), STALLED_MS).unref();
  }

  #judge(since: number): void {
    this.#timer = undefined;
    if (!this.#waits()) return;
    if (this.#lastReturn >= since) this.begin();
    else this.#onStalled();
  }
}
