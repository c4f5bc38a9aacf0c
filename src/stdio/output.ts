import type { Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';

/** While more than this lies unread, no new engine work starts, bytes. */
const UNREAD_LIMIT = 4 * 1024 * 1024;
/** Callers that may pass in one turn of the loop: a catalogue that a thousand wait for is at hand for all of them at once. */
const AT_ONCE = 8;
/** An answer is large beyond this, UTF-16 units. */
const LARGE = 256 * 1024;

/** The stream that answers go to, and how far the client is behind with reading them. */
export class Output {
  readonly #stream: Writable;
  readonly #waiting = new Set<() => void>();
  #passing = false;
  #passes = 0;
  #writes = 0;
  #sawLarge = false;

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
    if (text.length > LARGE) this.#saveMemory();
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

  /**
   * Has V8 collect sooner from the first large answer on: by itself it lets some 250 MiB of what they leave behind pile up.
   * Not from the start, since many small calls take longer then. V8 looks at this flag whenever it plans a collection.
   */
  #saveMemory(): void {
    if (this.#sawLarge) return;
    this.#sawLarge = true;
    setFlagsFromString('--optimize-for-size');
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
