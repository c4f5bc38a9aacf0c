import type { Writable } from 'node:stream';

/** While more than this lies unread, no new engine work starts, bytes. */
const UNREAD_LIMIT = 4 * 1024 * 1024;
/** Callers that may pass in one turn of the loop: a catalogue that a thousand wait for is at hand for all of them at once. */
const AT_ONCE = 8;

/** The stream that answers go to, and how far the client is behind with reading them. */
export class Output {
  readonly #stream: Writable;
  readonly #waiting = new Set<() => void>();
  #passing = false;
  #passes = 0;
  #writes = 0;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** Bytes that the client has not taken yet, beyond what the pipe itself holds. */
  get unread(): number {
    return this.#stream.writableLength;
  }

  /** Writes that are not through yet. */
  get writes(): number {
    return this.#writes;
  }

  /** Whether the client is so far behind that no new work should start. */
  get blocked(): boolean {
    return this.unread > UNREAD_LIMIT;
  }

  /** Writes some text; settles when the system has taken it, rejects when it never will. */
  write(text: string): Promise<void> {
    this.#writes += 1;
    return new Promise((resolve, reject) => {
      this.#stream.write(text, (error) => {
        this.#writes -= 1;
        this.#passNext();
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** Resolves to true as soon as the client has read enough, or to false once `signal` aborts. First come, first served. */
  ready(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (!this.blocked && this.#waiting.size === 0 && this.#passes < AT_ONCE) {
      this.#countPass();
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#waiting.delete(pass);
        resolve(false);
      };
      const pass = () => {
        signal.removeEventListener('abort', onAbort);
        resolve(true);
      };
      this.#waiting.add(pass);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#passNext();
    });
  }

  #countPass(): void {
    this.#passes += 1;
    if (this.#passes > 1) return;
    setImmediate(() => {
      this.#passes = 0;
    });
  }

  /** Lets one go at a turn of the loop, so that an answer that is at hand already is seen before the next. */
  #passNext(): void {
    if (this.#passing || this.#waiting.size === 0) return;
    this.#passing = true;
    setImmediate(() => {
      this.#passing = false;
      const [pass] = this.#waiting;
      if (pass === undefined || this.blocked) return;
      this.#waiting.delete(pass);
      pass();
      this.#passNext();
    });
  }
}
