import { type Asked, Helper, type StartHelper } from './helper.js';
import type { OperationName } from './operations.js';
import { StallWatch } from './stall.js';

/** Processes at once. Beyond what they hold, operations wait. */
const MAX_PROCESSES = 8;
/**
 * Operations that one process takes at once, if it may have so many threads. Node ends at once where the system limits a
 * user's or a container's threads: the next process asks for an eighth, the one after one that has begun for more again.
 */
const MOST_THREADS = 256;
const FEWEST_THREADS = 4;
const STEP = 8;
/** A process that the system ends (it may be short of memory) costs nobody his answer. One operation may lose so many. */
const MOST_LOSSES = 3;

/** Carries operations out in processes that can be ended, as many as it takes. */
export class Outside {
  readonly #start: StartHelper;
  readonly #helpers = new Set<Helper>();
  readonly #waiting = new Set<Asked>();
  /**
   * When none comes back, those that wait get further processes. Before, what waits is only many at once, and a thread is
   * free soon: a process is dear, and stays as long as one look hangs in it.
   */
  readonly #watch = new StallWatch(
    () => this.#waiting.size > 0,
    () => this.#startMore(),
  );
  #threads = MOST_THREADS;

  constructor(start: StartHelper) {
    this.#start = start;
  }

  /**
   * The result of an operation, or undefined once `signal` aborts.
   * @throws Error with the reason when the process that had it could not be started or has ended, and further ones too.
   */
  ask(name: OperationName, takes: unknown, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const finish = () => signal.removeEventListener('abort', onAbort);
      const asked: Asked = {
        name,
        takes,
        wanted: true,
        losses: 0,
        resolve: (gives) => {
          finish();
          resolve(gives);
        },
        reject: (error) => {
          asked.losses += 1;
          if (asked.wanted && asked.losses < MOST_LOSSES) {
            this.#waiting.add(asked);
            return;
          }
          finish();
          reject(error);
        },
      };
      const onAbort = () => {
        asked.wanted = false;
        this.#waiting.delete(asked);
        resolve(undefined);
        for (const helper of this.#helpers) helper.release();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(asked);
      this.#assign();
    });
  }

  /**
   * Hands what waits to helpers with room.
   * @param isStalled whether more are started as far as it takes; the first one always is.
   */
  #assign(isStalled = false): void {
    for (const asked of this.#waiting) {
      const mayStart = isStalled || this.#helpers.size === 0;
      const helper = [...this.#helpers].find(({ hasRoom }) => hasRoom) ?? (mayStart ? this.#startHelper() : undefined);
      if (helper === undefined) {
        if (!isStalled) this.#watch.begin();
        return;
      }
      this.#waiting.delete(asked);
      helper.ask(asked);
    }
  }

  #startMore(): void {
    // One that is on its way will have room.
    const isStarting = [...this.#helpers].some(({ hasBegun }) => !hasBegun);
    if (isStarting) this.#watch.begin();
    else this.#assign(true);
  }

  #startHelper(): Helper | undefined {
    if (this.#helpers.size >= MAX_PROCESSES) return undefined;
    const helper = new Helper(this.#start, this.#threads, (changed) => {
      this.#watch.returned();
      if (changed.ended) this.#helpers.delete(changed);
      const { hasBegun, threads } = changed;
      this.#threads = hasBegun ? Math.min(threads * STEP, MOST_THREADS) : Math.max(threads / STEP, FEWEST_THREADS);
      this.#assign();
    });
    this.#helpers.add(helper);
    return helper;
  }
}
