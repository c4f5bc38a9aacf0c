import { basename } from 'node:path';
import type { Config } from '../config.js';
import { type Failure, failed, quote } from '../errors.js';
import type { FileSystem, HelperOptions, HelperProcess } from '../filesystem.js';
import { type Call, type Phase, stoppedCall, unboundedController, unlessAborted } from './call.js';
import { EngineLocator, EnginePermission, inspect, type Resolution } from './find/index.js';
import { probeFlags } from './flags.js';
import { Collector, LineReader, readOutcome, restoreInput, runBatch, toRecord } from './read/index.js';
import {
  type ChildEnd,
  type ChildRun,
  type ChildSpec,
  childEnvironment,
  type FindNodeRuntime,
  nodeRuntimeFinder,
  OPEN,
  type Release,
  Semaphore,
  startChild,
  startChildPatiently,
} from './run/index.js';
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

/** A look at the engine's own file may take this long, milliseconds. */
const LOOK_MS = 1000;

/**
 * A path that was checked longer ago is checked again before its process starts, milliseconds: others of its batch, or
 * the roots, may have taken their time to be looked at.
 */
const FRESH_MS = 50;

/** What a run needs of a call; shared runs have a signal of their own. */
interface Bounds extends Pick<Call, 'signal' | 'timeoutMs'> {
  /** Told what the run is now at. */
  readonly enter?: (phase: Phase) => void;
}

interface Slot {
  readonly engine: EngineCommand;
  readonly release: Release;
  /** Whether the call had to wait, so that what was checked before may have changed. */
  readonly waited: boolean;
}

/** What an engine process is started with, or why it is not. */
type Command = { readonly args: readonly string[]; readonly stdin?: string } | { readonly failure: Failure };

/** The engine as processes of its own, one short one a call. The clock of a call is started without it. */
export class ProcessEngine implements Omit<Engine, 'startCall' | 'files' | 'versionSettled'> {
  readonly #files: FileSystem;
  readonly #childEnv: NodeJS.ProcessEnv;
  readonly #log: (line: string) => void;
  readonly #slots: Semaphore;
  readonly #output: AnswerOutput | undefined;
  readonly #locator: EngineLocator;
  readonly #permission: EnginePermission;
  readonly #nodeRuntime: FindNodeRuntime;
  readonly #shared = new SharedAnswers();
  readonly #closing = unboundedController();
  readonly #running = new Set<ChildRun>();

  constructor(
    config: Config,
    files: FileSystem,
    { log, output, env = process.env, resolveFrom = import.meta.url }: EngineDependencies,
  ) {
    this.#files = files;
    this.#childEnv = childEnvironment(env);
    this.#log = log ?? ((line) => process.stderr.write(`deckprobe-mcp: ${line}\n`));
    this.#slots = new Semaphore(config.maxConcurrency);
    this.#output = output;
    this.#permission = new EnginePermission(files, this.#log);
    const { signal } = this.#closing;
    const start = { env, childEnv: this.#childEnv, signal, track: (run: ChildRun) => this.#track(run) };
    const isThere = async (file: string) => (await inspect(file, files, signal)).there;
    this.#nodeRuntime = nodeRuntimeFinder({ ...start, isThere });
    const found = { permission: this.#permission, nodeRuntime: this.#nodeRuntime };
    const look = { bin: config.bin, from: resolveFrom, files, log: this.#log, ...found, ...start };
    this.#locator = new EngineLocator(look, this.#slots);
  }

  get version(): string | undefined {
    return this.#locator.version;
  }

  /** Settles when the look for the engine that is under way is over. */
  get looking(): Promise<unknown> {
    return Promise.resolve(this.#locator.looking);
  }

  /**
   * Starts a process of this server's own program. It holds no slot: it runs no engine.
   * @throws Error where no program for Node.js can be started, with the reason.
   */
  async startHelper({ args, env, onLine, onEnd }: HelperOptions): Promise<HelperProcess> {
    const runtime = await this.#nodeRuntime();
    if ('problem' in runtime) throw new Error(runtime.problem);
    const lines = new LineReader((line) => {
      onLine(line);
      return true;
    });
    const spec = {
      command: runtime.command,
      args,
      env: { ...this.#childEnv, ...runtime.env, ...env },
      stdin: OPEN,
      onStdout: (chunk: Buffer) => lines.add(chunk),
    } as const;
    const run = this.#track(startChild(spec, this.#closing.signal));
    void run.ended.then(({ spawnError, signal, code }) =>
      onEnd(spawnError?.message ?? `the process that looks at files ended with ${signal ?? `exit status ${code}`}`),
    );
    return { write: run.write, end: () => run.stop('closed') };
  }

  start(): void {
    if (this.#closing.signal.aborted) return;
    void this.#locator.locate().then(() => this.#permission.sweep());
    // Asked for while looks at files still come back: where one hangs it would be needed to look for itself.
    void this.#nodeRuntime();
  }

  async probe(input: EngineInput, options: ProbeOptions, call: Call): Promise<Outcome> {
    const flags = probeFlags(options);
    const outcome = await this.#runOnce(input.path, call, async (waited) => {
      const checked = (waited || isOld(input)) && input.recheck !== undefined ? await input.recheck() : { input };
      if ('failure' in checked) return checked;
      const { path, name } = checked.input;
      if (name === undefined) return { args: [...flags, '--', path] };
      return { args: ['--jsonl', ...flags], stdin: toRecord(checked.input) };
    });
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
    let exited = Promise.resolve();
    try {
      return await runBatch({
        inputs,
        stale: slot.waited || inputs.some(isOld),
        call,
        start: (stdin, output) => {
          const run = this.#start(slot.engine, args, call, { ...output, stdin });
          exited = run.exited;
          return run;
        },
        onSettled,
        onIncomplete: (incomplete, end, input) => {
          this.#report(incomplete, end.ms, end.pid, input.path);
          void this.#forgetIfGone(slot.engine, end);
        },
      });
    } finally {
      // Whatever happened: a slot that is lost is lost for good.
      void exited.then(slot.release);
    }
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
    await this.#permission.remove();
  }

  /** Waits for the engine to be found. */
  async #locate(bounds: Bounds, subject: string): Promise<Resolution> {
    const { engine } = this.#locator;
    if (engine !== undefined) return { engine };
    bounds.enter?.('waiting for the engine to be found');
    const started = performance.now();
    const resolution = await unlessAborted(this.#locator.locate(), bounds.signal);
    return resolution ?? this.#stopped(bounds, 'waiting for the engine to be found', started, subject);
  }

  async #acquire(bounds: Bounds, subject: string): Promise<Slot | { failure: Failure }> {
    const waited = this.#locator.engine === undefined || !this.#slots.hasFree;
    const located = await this.#locate(bounds, subject);
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
    const unread = await this.#whenRead(bounds, started, subject);
    if (unread !== undefined) {
      release();
      return unread;
    }
    bounds.enter?.('running the engine');
    return { engine: located.engine, release, waited: waited || mustWait };
  }

  /** Waits while the client leaves answers unread; the failure of a call that ends meanwhile. */
  async #whenRead(bounds: Bounds, started: number, subject: string): Promise<{ failure: Failure } | undefined> {
    if (this.#output?.blocked) bounds.enter?.('waiting for the client to read');
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
    { command, prefix, env }: EngineCommand,
    args: readonly string[],
    { signal }: Bounds,
    streams: Pick<ChildSpec, 'stdin' | 'onStdout' | 'onStop'>,
  ): ChildRun {
    const spec = { ...streams, command, args: [...prefix, ...args], env: { ...this.#childEnv, ...env } };
    return this.#track(startChildPatiently(spec, signal));
  }

  /** A child that is started while the engine closes (a queued call's, say) is stopped at once. */
  #track(run: ChildRun): ChildRun {
    this.#running.add(run);
    void run.exited.then(() => this.#running.delete(run));
    if (this.#closing.signal.aborted) run.stop('closed');
    return run;
  }

  /** @param prepare makes the command when the slot is there; told whether the call had to wait for it. */
  async #runOnce(
    subject: string,
    bounds: Bounds,
    prepare: (waited: boolean) => Promise<Command> | Command,
  ): Promise<Outcome> {
    const slot = await this.#acquire(bounds, subject);
    if ('failure' in slot) return failed(slot.failure);
    const command = await prepare(slot.waited);
    if ('failure' in command) {
      slot.release();
      return failed(command.failure);
    }
    const output = new Collector();
    const streams = {
      stdin: command.stdin,
      onStdout: (chunk: Buffer) => output.add(chunk),
      onStop: () => output.close(),
    };
    const run = this.#start(slot.engine, command.args, bounds, streams);
    // Not at the exit alone: a child that is started from inside libuv's exit callback keeps the loop from reading pipes,
    // and with many calls waiting that lasts until the last of them.
    void Promise.all([run.ended, run.exited]).then(slot.release);
    const end = await run.ended;
    const outcome = readOutcome(output.take(), end, bounds.timeoutMs);
    // That a document has too much to tell is no trouble with the engine.
    if (outcome.kind === 'failure' && outcome.failure.code !== 'MCP_OUTPUT_LIMIT') {
      this.#report(outcome.failure, end.ms, end.pid, subject);
      await this.#forgetIfGone(slot.engine, end);
    }
    return outcome;
  }

  async #discover(args: readonly string[], call: Call): Promise<Outcome> {
    const subject = args.join(' ');
    const located = await this.#locate(call, subject);
    if ('failure' in located) return failed(located.failure);
    const { command, version } = located.engine;
    const key = JSON.stringify([command, version, ...args]);
    const outcome = await this.#shared.get(key, call, (bounds) => this.#runOnce(subject, bounds, () => ({ args })));
    // An answer that was kept takes no process, but room like any other.
    const unread = outcome.kind === 'answer' ? await this.#whenRead(call, performance.now(), subject) : undefined;
    return unread === undefined ? outcome : failed(unread.failure);
  }

  /**
   * Has the next call look for an engine anew when this one's file is gone. Whatever else keeps a file from being started
   * says nothing against it: another engine must not take its place for good.
   */
  async #forgetIfGone({ command }: EngineCommand, { spawnError }: ChildEnd): Promise<void> {
    if (spawnError?.code !== 'ENOENT' && spawnError?.code !== 'ENOTDIR') return;
    const patience = AbortSignal.timeout(LOOK_MS);
    const status = this.#files.ask('status', { path: command }, patience).catch(() => undefined);
    if ((await unlessAborted(status, patience))?.missing) this.#locator.forget();
  }

  /** One line for each deadline, kill or engine failure. */
  #report({ code, message }: Failure, ms: number, pid: number | undefined, subject: string): void {
    const what = code === 'MCP_ENGINE_FAILURE' ? `${code} (${message})` : code;
    const name = subject === '' ? '' : `, ${quote(basename(subject))}`;
    this.#log(`${what} after ${Math.round(ms)} ms, pid ${pid ?? 'none'}${name}`);
  }
}

function isOld({ checkedAt }: EngineInput): boolean {
  return checkedAt !== undefined && performance.now() - checkedAt > FRESH_MS;
}
