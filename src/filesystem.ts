import type { StartHelper } from './filesystem/helper.js';
import { OPERATIONS, type OperationName, type OperationTypes } from './filesystem/operations.js';
import { Outside } from './filesystem/outside.js';
import { StallWatch } from './filesystem/stall.js';

export type { HelperOptions, HelperProcess, StartHelper } from './filesystem/helper.js';
export type { ListingLimits, Status } from './filesystem/operations.js';
export type { PrivateCopy } from './filesystem/permission.js';

/**
 * Looks at once inside this process. Node has four threads for them, and one that waits for a dead network share never
 * comes back: one thread has to stay for what Node reads by them, such as standard input that is a file, or a module that is
 * loaded later where this is used as a library. On Windows two more may wait for a client that does not read stdout or stderr.
 */
const INSIDE = process.platform === 'win32' ? 1 : 3;

type Takes<Name extends OperationName> = OperationTypes[Name]['takes'];
type Gives<Name extends OperationName> = OperationTypes[Name]['gives'];

interface Waiting {
  readonly signal: AbortSignal;
  readonly runInside: () => void;
  readonly runOutside: () => void;
}

/**
 * The file system, which may never answer: looks are taken in this process while they come back, and in processes that
 * can be ended once they do not. A look that hangs costs nobody but the one who asked for it.
 */
export class FileSystem {
  readonly #outside: Outside;
  readonly #waiting: Waiting[] = [];
  /** When none inside comes back, those that wait are taken outside. */
  readonly #watch = new StallWatch(
    () => this.#waiting.length > 0,
    () => this.#goOutside(),
  );
  #inside = 0;
  #stalled = false;

  /** @param start starts a process of Node's over the program it is given. */
  constructor(start: StartHelper) {
    this.#outside = new Outside(start);
  }

  /** Whether looks inside this process have not come back. While one hangs in the kernel, the process cannot exit. */
  get hasOpenLooks(): boolean {
    return this.#inside > 0;
  }

  /**
   * The result of one operation. Where it hangs, the promise settles only if the operation was taken outside: to
   * undefined, once `signal` aborts. So whoever waits has to watch the signal as well.
   * @throws Error with the reason when the process that had it could not be started or has ended.
   */
  ask<Name extends OperationName>(
    name: Name,
    takes: Takes<Name>,
    signal: AbortSignal,
  ): Promise<Gives<Name> | undefined> {
    if (this.#inside < INSIDE) return this.#askInside(name, takes);
    const askOutside = () => this.#outside.ask(name, takes, signal) as Promise<Gives<Name> | undefined>;
    if (this.#stalled) return askOutside();
    return new Promise((resolve) => {
      this.#waiting.push({
        signal,
        runInside: () => resolve(this.#askInside(name, takes)),
        runOutside: () => resolve(askOutside()),
      });
      this.#watch.begin();
    });
  }

  async #askInside<Name extends OperationName>(name: Name, takes: Takes<Name>): Promise<Gives<Name>> {
    this.#inside += 1;
    const gives = await OPERATIONS[name](takes);
    this.#inside -= 1;
    this.#watch.returned();
    this.#stalled = false;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (next.signal.aborted) continue;
      next.runInside();
      break;
    }
    return gives;
  }

  #goOutside(): void {
    this.#stalled = true;
    for (const { signal, runOutside } of this.#waiting.splice(0)) if (!signal.aborted) runOutside();
  }
}
