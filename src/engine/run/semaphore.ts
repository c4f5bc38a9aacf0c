/** Gives a slot back. Calling it again has no effect. */
export type Release = () => void;

/** First-come, first-served slots; a waiter leaves the queue when its signal aborts. */
export class Semaphore {
  #free: number;
  readonly #queue = new Set<() => void>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Whether a slot could be had at once. */
  get hasFree(): boolean {
    return this.#free > 0;
  }

  /** Resolves to the slot's release, or to undefined once `signal` has aborted. */
  acquire(signal: AbortSignal): Promise<Release | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(this.#release());
    }
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#queue.delete(onSlot);
        resolve(undefined);
      };
      const onSlot = () => {
        signal.removeEventListener('abort', onAbort);
        resolve(this.#release());
      };
      this.#queue.add(onSlot);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #release(): Release {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const [next] = this.#queue;
      if (next === undefined) {
        this.#free += 1;
        return;
      }
      this.#queue.delete(next);
      next();
    };
  }
}
