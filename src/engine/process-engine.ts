import { basename } from 'node:path';
import type { Config } from '../config.js';
import { type Failure, failed, quote } from '../errors.js';
import { type Call, type Phase, stoppedCall, unlessAborted } from './call.js';
import { EngineLocator, type Resolution } from './find/index.js';
import { probeFlags } from './flags.js';
import { readOutcome, restoreInput, runBatch, toRecord } from './read/index.js';
import { type ChildEnd, type ChildRun, childEnvironment, type Release, Semaphore, startChild } from './run/index.js';
import { SharedAnswers } from './shared.js';
import type {
  AnswerOutput,
  Engine,
  EngineCommand,
  EngineDependencies,
  EngineInput,
  Outcome,
  ProbeOptions,
} from './types.js';

/** What a run needs of a call; shared runs have a signal of their own. */
type Bounds = Pick<Call, 'signal' | 'timeoutMs'>;

interface Slot {
  readonly engine: EngineCommand;
  readonly release: Release;
}

/** The engine as processes of its own, one short one a call. The clock of a call is started without it. */
export class ProcessEngine implements Omit<Engine, 'startCall'> {
  readonly #childEnv: NodeJS.ProcessEnv;
  readonly #log: (line: string) => void;
  readonly #slots: Semaphore;
  readonly #output: AnswerOutput | undefined;
  readonly #locator: EngineLocator;
  readonly #shared = new SharedAnswers();
  readonly #closing = new AbortController();
  readonly #running = new Set<ChildRun>();

  constructor(config: Config, { log, output, env = process.env, resolveFrom = import.meta.url }: EngineDependencies) {
    this.#childEnv = childEnvironment(env);
    this.#log = log ?? ((line) => process.stderr.write(`deckprobe-mcp: ${line}\n`));
    this.#slots = new Semaphore(config.maxConcurrency);
    this.#output = output;
    const look = { bin: config.bin, from: resolveFrom, env, childEnv: this.#childEnv, log: this.#log };
    const track = (run: ChildRun) => this.#track(run);
    this.#locator = new EngineLocator({ ...look, track, signal: this.#closing.signal }, this.#slots);
  }

  get version(): string | undefined {
    return this.#locator.version;
  }

  start(): void {
    if (!this.#closing.signal.aborted) void this.#locator.locate();
  }

  async probe(input: EngineInput, options: ProbeOptions, call: Call): Promise<Outcome> {
    const flags = probeFlags(options);
    const outcome =
      input.name === undefined
        ? await this.#runOnce([...flags, '--', input.path], call, input.path)
        : await this.#runOnce(['--jsonl', ...flags], call, input.path, toRecord(input));
    return outcome.kind === 'answer' ? restoreInput(outcome, input) : outcome;
  }

  async probeBatch(
    inputs: readonly EngineInput[],
    options: ProbeOptions,
    call: Call,
    onSettled: (outcome: Outcome) => void,
  ): Promise<Failure | undefined> {
    const slot = await this.#acquire(call, '');
    if ('failure' in slot) {
      for (const _ of inputs) onSettled(failed(slot.failure));
      return slot.failure;
    }
    const args = ['--jsonl', ...probeFlags(options)];
    const { failure, exited } = await runBatch({
      inputs,
      call,
      start: (stdin, onStdout) => this.#start(slot.engine, args, call, onStdout, stdin),
      onSettled,
      onIncomplete: (incomplete, end, input) => this.#reportEnd(incomplete, end, input.path),
    });
    void exited.then(slot.release);
    return failure;
  }

  formats(call: Call): Promise<Outcome> {
    return this.#discover(['formats'], call);
  }

  targets(format: string, call: Call): Promise<Outcome> {
    return this.#discover(['targets', `--format=${format.toLowerCase()}`], call);
  }

  schema(call: Call): Promise<Outcome> {
    return this.#discover(['schema'], call);
  }

  async close(): Promise<void> {
    this.#closing.abort('closed');
    const running = [...this.#running];
    for (const run of running) run.stop('closed');
    await Promise.all(running.map((run) => run.exited));
  }

  /** Waits for the engine to be found. */
  async #locate(bounds: Bounds, subject: string): Promise<Resolution> {
    const { engine } = this.#locator;
    if (engine !== undefined) return { engine };
    const started = performance.now();
    const resolution = await unlessAborted(this.#locator.locate(), bounds.signal);
    return resolution ?? this.#stopped(bounds, 'waiting for the engine to be found', started, subject);
  }

  async #acquire(bounds: Bounds, subject: string): Promise<Slot | { failure: Failure }> {
    const located = await this.#locate(bounds, subject);
    if ('failure' in located) return located;
    const started = performance.now();
    const release = await this.#slots.acquire(bounds.signal);
    if (release === undefined) {
      // Who waits behind a slot that waits for the client waits for the client.
      const phase = this.#output?.blocked ? 'waiting for the client to read' : 'waiting for a free engine slot';
      return this.#stopped(bounds, phase, started, subject);
    }
    const unread = await this.#whenRead(bounds, started, subject);
    if (unread === undefined) return { engine: located.engine, release };
    release();
    return unread;
  }

  /** Waits while the client leaves answers unread; the failure of a call that ends meanwhile. */
  async #whenRead(bounds: Bounds, started: number, subject: string): Promise<{ failure: Failure } | undefined> {
    if (this.#output === undefined || (await this.#output.ready(bounds.signal))) return undefined;
    return this.#stopped(bounds, 'waiting for the client to read', started, subject);
  }

  /** The failure of a call that was stopped before it had a process. */
  #stopped(bounds: Bounds, phase: Phase, started: number, subject: string): { failure: Failure } {
    const failure = stoppedCall(bounds, phase);
    this.#report(failure, performance.now() - started, undefined, subject);
    return { failure };
  }

  #start(
    { command, prefix }: EngineCommand,
    args: readonly string[],
    { signal }: Bounds,
    onStdout: (chunk: Buffer) => number,
    stdin: string | undefined,
  ): ChildRun {
    return this.#track(
      startChild({ command, args: [...prefix, ...args], env: this.#childEnv, onStdout, stdin }, signal),
    );
  }

  /** A child that is started while the engine closes (a queued call's, say) is stopped at once. */
  #track(run: ChildRun): ChildRun {
    this.#running.add(run);
    void run.exited.then(() => this.#running.delete(run));
    if (this.#closing.signal.aborted) run.stop('closed');
    return run;
  }

  async #runOnce(args: readonly string[], bounds: Bounds, subject: string, stdin?: string): Promise<Outcome> {
    const slot = await this.#acquire(bounds, subject);
    if ('failure' in slot) return failed(slot.failure);
    const chunks: Buffer[] = [];
    let held = 0;
    const collect = (chunk: Buffer) => {
      chunks.push(chunk);
      held += chunk.length;
      return held;
    };
    const run = this.#start(slot.engine, args, bounds, collect, stdin);
    // Not at the exit alone: a child that is started from inside libuv's exit callback keeps the loop from reading pipes,
    // and with many calls waiting that lasts until the last of them.
    void Promise.all([run.ended, run.exited]).then(slot.release);
    const end = await run.ended;
    const outcome = readOutcome(toText(chunks), end, bounds.timeoutMs);
    if (outcome.kind === 'failure') this.#reportEnd(outcome.failure, end, subject);
    return outcome;
  }

  async #discover(args: readonly string[], call: Call): Promise<Outcome> {
    const subject = args.join(' ');
    const located = await this.#locate(call, subject);
    if ('failure' in located) return failed(located.failure);
    const { command, version } = located.engine;
    const key = JSON.stringify([command, version, ...args]);
    const run = (signal: AbortSignal) => this.#runOnce(args, { signal, timeoutMs: call.timeoutMs }, subject);
    const outcome = (await this.#shared.get(key, call, run)) ?? failed(stoppedCall(call, 'running the engine'));
    // An answer that was kept takes no process, but room like any other.
    const unread = outcome.kind === 'answer' ? await this.#whenRead(call, performance.now(), subject) : undefined;
    return unread === undefined ? outcome : failed(unread.failure);
  }

  /** An engine that could not be started may have been replaced or removed: the next call looks for it anew. */
  #reportEnd(failure: Failure, end: ChildEnd, subject: string): void {
    if (end.spawnError !== undefined && failure.code === 'MCP_ENGINE_FAILURE') this.#locator.forget();
    this.#report(failure, end.ms, end.pid, subject);
  }

  /** One line for each deadline, kill or engine failure. */
  #report({ code, message }: Failure, ms: number, pid: number | undefined, subject: string): void {
    const what = code === 'MCP_ENGINE_FAILURE' ? `${code} (${message})` : code;
    const name = subject === '' ? '' : `, ${quote(basename(subject))}`;
    this.#log(`${what} after ${Math.round(ms)} ms, pid ${pid ?? 'none'}${name}`);
  }
}

/** Most answers come in one piece, which need not be copied. */
function toText(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  return (first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)).toString('utf8');
}
