import { fileURLToPath } from 'node:url';
import { parseJson } from '../json.js';
import type { OperationName } from './operations.js';

/** Operations that one process takes at once: each has a thread of its own there, which a dead mount may hold. */
const THREADS = 128;
/** A process that has nothing to do ends after this, milliseconds. */
const IDLE_MS = 5000;
/**
 * A process that does not take what it is asked within this is given up, milliseconds. It may have been killed: while one of
 * its threads hangs in the kernel, the system does not say that it has ended, and its pipes stay open.
 */
const DEAF_MS = 5000;

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

/** An operation that somebody waits for. */
export interface Asked {
  readonly name: OperationName;
  readonly takes: unknown;
  readonly resolve: (gives: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Whether anybody still waits for it. */
  wanted: boolean;
  /** Whether a process that had it has ended already. */
  lost: boolean;
}

/** One process, and what it has been asked and has not answered. */
export class Helper {
  readonly #asked = new Map<number, Asked>();
  readonly #process: Promise<HelperProcess>;
  readonly #onRoom: (helper: Helper) => void;
  #lastId = 0;
  #ended = false;
  /** The newest request that it has said to have taken. */
  #taken = 0;
  #idle: NodeJS.Timeout | undefined;
  #deaf: NodeJS.Timeout | undefined;

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

  /** Whether it has ever taken anything. */
  get hasBegun(): boolean {
    return this.#taken > 0;
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
      (running) => {
        running.write(line);
        this.#listen();
      },
      () => {},
    );
  }

  /** Gives it up unless it says in time that it has taken more of what it was asked. */
  #listen(): void {
    if (this.#ended || this.#deaf !== undefined || this.#taken === this.#lastId) return;
    const before = this.#taken;
    // When the event loop was busy, the timer is due before the loop has seen what came back: immediates run after that.
    const judge = () => {
      if (this.#taken === before) this.stop('it does not react');
    };
    this.#deaf = setTimeout(() => setImmediate(judge), DEAF_MS).unref();
  }

  /**
   * Ends the process when nobody waits for anything that it has been asked, and it has nothing more to do or can do nothing
   * more. Not before: the kernel may not let go of one that has a thread which hangs, and each would keep its memory.
   */
  release(): void {
    for (const { wanted } of this.#asked.values()) if (wanted) return;
    clearTimeout(this.#idle);
    if (!this.hasRoom) this.stop('nobody waits any longer');
    else if (this.#asked.size === 0) this.#idle = setTimeout(() => this.stop('nothing to do'), IDLE_MS).unref();
  }

  stop(reason: string): void {
    void this.#process.then(
      (running) => running.end(),
      () => {},
    );
    this.#end(reason);
  }

  #answer(line: string): void {
    const { id, taken, gives } = Object(parseJson(line)) as { id?: number; taken?: number; gives?: unknown };
    if (taken !== undefined) {
      this.#taken = taken;
      clearTimeout(this.#deaf);
      this.#deaf = undefined;
      this.#listen();
    }
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
    clearTimeout(this.#deaf);
    for (const { reject } of this.#asked.values()) reject(new Error(reason));
    this.#asked.clear();
    this.#onRoom(this);
  }
}
