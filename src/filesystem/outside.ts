import { type Asked, Helper, type StartHelper } from './helper.js';
import type { OperationName } from './operations.js';

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
/**
 * When no operation has come back for this long, those that wait get further processes, milliseconds. Before, what waits is
 * only many at once, and a thread is free soon: a process is dear, and stays as long as one look hangs in it.
 */
const STALLED_MS = 250;

/** Carries operations out in processes that can be ended, as many as it takes. */
export class Outside {
  readonly #start: StartHelper;
  readonly #helpers = new Set<Helper>();
  readonly #waiting = new Set<Asked>();
  #threads = MOST_THREADS;
  #lastReturn = 0;
  #timer: NodeJS.Timeout | undefined;

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
        if (!isStalled) this.#watch();
        return;
      }
      this.#waiting.delete(asked);
      helper.ask(asked);
    }
  }

  /** Looks after a while whether anything has come back for those that wait. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    const since = performance.now();
    // When the event loop was busy, the timer is due before the loop has seen what came back: immediates run after that.
    this.#timer = setTimeout(() => setImmediate(() => this.#judge(since)), STALLED_MS).unref();
  }

  #judge(since: number): void {
    this.#timer = undefined;
    const isStarting = [...this.#helpers].some(({ hasBegun }) => !hasBegun);
    if (this.#lastReturn < since && !isStarting) this.#assign(true);
    else if (this.#waiting.size > 0) this.#watch();
  }

  #startHelper(): Helper | undefined {
    if (this.#helpers.size >= MAX_PROCESSES) return undefined;
    const helper = new Helper(this.#start, this.#threads, (changed) => {
      this.#lastReturn = performance.now();
      if (changed.ended) this.#helpers.delete(changed);
      const { hasBegun, threads } = changed;
      this.#threads = hasBegun ? Math.min(threads * STEP, MOST_THREADS) : Math.max(threads / STEP, FEWEST_THREADS);
      this.#assign();
    });
    this.#helpers.add(helper);
    return helper;
  }
}
