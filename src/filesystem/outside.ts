import { fileURLToPath } from 'node:url';
import { parseJson } from '../json.js';
import type { OperationName } from './operations.js';

/** Operations that one process takes at once: each has a thread of its own there, which a dead mount may hold. */
const THREADS = 64;
/** Processes at once. Beyond what they hold, operations wait. */
const MAX_PROCESSES = 16;
/** A process that has nothing to do ends after this, milliseconds. */
const IDLE_MS = 5000;

/** A running helper process, as this module needs one. */
export interface HelperProcess {
  write(line: string): void;
  /** Ends it, whatever it is doing. */
  end(): void;
}

export interface HelperOptions {
  /** Arguments for Node: the program. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
  /** Told once, with the reason, when it could not be started or has ended. */
  readonly onEnd: (reason: string) => void;
}

export type StartHelper = (options: HelperOptions) => Promise<HelperProcess>;

interface Asked {
  readonly name: OperationName;
  readonly takes: unknown;
  readonly resolve: (gives: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Whether anybody still waits for it. */
  wanted: boolean;
  /** Whether a process that had it has ended already. */
  lost: boolean;
}

/** What one process has been asked and has not answered. */
class Helper {
  readonly #asked = new Map<number, Asked>();
  readonly #process: Promise<HelperProcess>;
  readonly #onRoom: (helper: Helper) => void;
  #lastId = 0;
  #ended = false;
  #idle: NodeJS.Timeout | undefined;

  /** @param onRoom told whenever it has more room than before, and when it has ended. */
  constructor(start: StartHelper, onRoom: (helper: Helper) => void) {
    this.#onRoom = onRoom;
    this.#process = start({
      args: [fileURLToPath(new URL('./runner.js', import.meta.url))],
      env: { UV_THREADPOOL_SIZE: String(THREADS) },
      onLine: (line) => this.#answer(line),
      onEnd: (reason) => this.#end(reason),
    });
    this.#process.catch((error: unknown) => this.#end(error instanceof Error ? error.message : String(error)));
  }

  get ended(): boolean {
    return this.#ended;
  }

  get hasRoom(): boolean {
    return !this.#ended && this.#asked.size < THREADS;
  }

  ask(asked: Asked): void {
    clearTimeout(this.#idle);
    this.#lastId += 1;
    const id = this.#lastId;
    this.#asked.set(id, asked);
    const line = `${JSON.stringify({ id, name: asked.name, takes: asked.takes })}\n`;
    this.#process.then(
      (running) => running.write(line),
      () => {},
    );
  }

  /** Ends the process when nobody waits for anything that it has been asked: what it still does never returns. */
  release(): void {
    for (const { wanted } of this.#asked.values()) if (wanted) return;
    clearTimeout(this.#idle);
    if (this.#asked.size > 0) this.stop('nobody waits any longer');
    else this.#idle = setTimeout(() => this.stop('nothing to do'), IDLE_MS).unref();
  }

  stop(reason: string): void {
    void this.#process.then(
      (running) => running.end(),
      () => {},
    );
    this.#end(reason);
  }

  #answer(line: string): void {
    const { id, gives } = Object(parseJson(line)) as { id?: number; gives?: unknown };
    const asked = id === undefined ? undefined : this.#asked.get(id);
    if (id === undefined || asked === undefined) return;
    this.#asked.delete(id);
    asked.resolve(gives);
    this.release();
    this.#onRoom(this);
  }

  #end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#idle);
    for (const { reject } of this.#asked.values()) reject(new Error(reason));
    this.#asked.clear();
    this.#onRoom(this);
  }
}

/** Carries operations out in processes that can be ended, as many as it takes. */
export class Outside {
  readonly #start: StartHelper;
  readonly #helpers = new Set<Helper>();
  readonly #waiting = new Set<Asked>();

  constructor(start: StartHelper) {
    this.#start = start;
  }

  /**
   * The result of an operation, or undefined once `signal` aborts.
   * @throws Error with the reason when the process that had it could not be started or has ended, and another one too:
   * a process that the system ends (it may be short of memory) costs nobody his answer.
   */
  ask(name: OperationName, takes: unknown, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const finish = () => signal.removeEventListener('abort', onAbort);
      const asked: Asked = {
        name,
        takes,
        wanted: true,
        lost: false,
        resolve: (gives) => {
          finish();
          resolve(gives);
        },
        reject: (error) => {
          if (asked.wanted && !asked.lost) {
            asked.lost = true;
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

  /** Hands what waits to helpers with room, of which there may be more to start. */
  #assign(): void {
    for (const asked of this.#waiting) {
      const helper = [...this.#helpers].find(({ hasRoom }) => hasRoom) ?? this.#startHelper();
      if (helper === undefined) return;
      this.#waiting.delete(asked);
      helper.ask(asked);
    }
  }

  #startHelper(): Helper | undefined {
    if (this.#helpers.size >= MAX_PROCESSES) return undefined;
    const helper = new Helper(this.#start, (changed) => {
      if (changed.ended) this.#helpers.delete(changed);
      this.#assign();
    });
    this.#helpers.add(helper);
    return helper;
  }
}
