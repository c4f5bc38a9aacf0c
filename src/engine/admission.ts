import { basename } from 'node:path';
import { type Failure, quote } from '../errors.js';
import { type Call, type Phase, stoppedCall, unlessAborted } from './call.js';
import type { EngineLocator, Resolution } from './find/index.js';
import type { Release, Semaphore } from './run/index.js';
import type { AnswerOutput, EngineCommand } from './types.js';

/** What a run needs of a call; shared runs have a signal of their own. */
export interface Bounds extends Pick<Call, 'signal' | 'timeoutMs'> {
  /** Told what the run is now at. */
  readonly enter?: (phase: Phase) => void;
}

export interface Slot {
  readonly engine: EngineCommand;
  readonly release: Release;
  /** Whether the call had to wait, so that what was checked before may have changed. */
  readonly waited: boolean;
}

export interface AdmissionParts {
  readonly locator: EngineLocator;
  readonly slots: Semaphore;
  /** How far the client is behind with reading, where that can be told. */
  readonly output: AnswerOutput | undefined;
  readonly log: (line: string) => void;
}

/** What a call waits for before it has a process: the engine to be found, a slot, and the client to read. */
export class Admission {
  readonly #locator: EngineLocator;
  readonly #slots: Semaphore;
  readonly #output: AnswerOutput | undefined;
  readonly #log: (line: string) => void;

  constructor({ locator, slots, output, log }: AdmissionParts) {
    this.#locator = locator;
    this.#slots = slots;
    this.#output = output;
    this.#log = log;
  }

  /** Waits for the engine to be found. `subject` is what the log calls the call. */
  async locate(bounds: Bounds, subject: string): Promise<Resolution> {
    const { engine } = this.#locator;
    if (engine !== undefined) return { engine };
    bounds.enter?.('waiting for the engine to be found');
    const started = performance.now();
    const resolution = await unlessAborted(this.#locator.locate(), bounds.signal);
    return resolution ?? this.#stopped(bounds, 'waiting for the engine to be found', started, subject);
  }

  /** Waits for all that a process needs. The slot has to be released. */
  async acquire(bounds: Bounds, subject: string): Promise<Slot | { failure: Failure }> {
    const waited = this.#locator.engine === undefined || !this.#slots.hasFree;
    const located = await this.locate(bounds, subject);
    if ('failure' in located) return located;
    bounds.enter?.('waiting for a free engine slot');
    const started = performance.now();
    const release = await this.#slots.acquire(bounds.signal);
    if (release === undefined) {
      // Who waits behind a slot that waits for the client waits for the client.
      const phase = this.#output?.blocked ? 'waiting for the client to read' : 'waiting for a free engine slot';
      return this.#stopped(bounds, phase, started, subject);
    }
    const mustWait = this.#output?.blocked === true;
    const unread = await this.whenRead(bounds, started, subject);
    if (unread !== undefined) {
      release();
      return unread;
    }
    bounds.enter?.('running the engine');
    return { engine: located.engine, release, waited: waited || mustWait };
  }

  /** Waits while the client leaves answers unread; the failure of a call that ends meanwhile. */
  async whenRead(bounds: Bounds, started: number, subject: string): Promise<{ failure: Failure } | undefined> {
    if (this.#output?.blocked) bounds.enter?.('waiting for the client to read');
    if (this.#output === undefined || (await this.#output.ready(bounds.signal))) return undefined;
    return this.#stopped(bounds, 'waiting for the client to read', started, subject);
  }

  /** The failure of a call that was stopped before it had a process. */
  #stopped(bounds: Bounds, phase: Phase, started: number, subject: string): { failure: Failure } {
    const failure = stoppedCall(bounds, phase);
    this.#log(failureLine(failure, performance.now() - started, undefined, subject));
    return { failure };
  }
}

/** One line for each deadline, kill or engine failure. */
export function failureLine({ code, message }: Failure, ms: number, pid: number | undefined, subject: string): string {
  const what = code === 'MCP_ENGINE_FAILURE' ? `${code} (${message})` : code;
  const name = subject === '' ? '' : `, ${quote(basename(subject))}`;
  return `${what} after ${Math.round(ms)} ms, pid ${pid ?? 'none'}${name}`;
}
