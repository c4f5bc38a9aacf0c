import { basename } from 'node:path';
import type { Config } from '../config.js';
import { type Failure, failed, quote } from '../errors.js';
import type { FileSystem, HelperOptions, HelperProcess } from '../filesystem.js';
import { type Call, type Phase, stoppedCall, unboundedController, unlessAborted } from './call.js';
import { EngineLocator, EnginePermission, inspect, type Resolution } from './find/index.js';
import { probeFlags } from './flags.js';
import { LineReader, readOutcome, restoreInput, runBatch, toRecord } from './read/index.js';
import {
  type ChildEnd,
  type ChildRun,
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
import type { Engine, EngineCommand, EngineDependencies, EngineInput, Outcome, ProbeOptions } from './types.js';

/** A look at the engine's own file may take this long, milliseconds. */
const LOOK_MS = 1000;

/** What a run needs of a call; shared runs have a signal of their own. */
type Bounds = Pick<Call, 'signal' | 'timeoutMs'>;

interface Slot {
  readonly engine: EngineCommand;
  readonly release: Release;
  /** Whether the call had to wait, so that what was checked before may have changed. */
  readonly waited: boolean;
}

/** What an engine process is started with, or why it is not. */
type Command = { readonly args: readonly string[]; readonly stdin?: string } | { readonly failure: Failure };

/** The engine as processes of its own, one short one a call. The clock of a call is started without it. */
export class ProcessEngine implements Omit<Engine, 'startCall' | 'files'> {
  readonly #files: FileSystem;
  readonly #childEnv: NodeJS.ProcessEnv;
  readonly #log: (line: string) => void;
  readonly #slots: Semaphore;
  readonly #locator: EngineLocator;
  readonly #permission: EnginePermission;
  readonly #nodeRuntime: FindNodeRuntime;
  readonly #shared = new SharedAnswers();
  readonly #closing = unboundedController();
  readonly #running = new Set<ChildRun>();

  constructor(
    config: Config,
    files: FileSystem,
    { log, env = process.env, resolveFrom = import.meta.url }: EngineDependencies,
  ) {
    this.#files = files;
    this.#childEnv = childEnvironment(env);
    this.#log = log ?? ((line) => process.stderr.write(`deckprobe-mcp: ${line}\n`));
    this.#slots = new Semaphore(config.maxConcurrency);
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
      const checked = waited && input.recheck !== undefined ? await input.recheck() : { input };
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
    const { failure, exited } = await runBatch({
      inputs,
      stale: slot.waited,
      call,
      start: (stdin, onStdout) => this.#start(slot.engine, args, call, onStdout, stdin),
      onSettled,
      onIncomplete: (incomplete, end, input) => {
        this.#report(incomplete, end.ms, end.pid, input.path);
        void this.#forgetIfGone(slot.engine, end);
      },
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
    await this.#permission.remove();
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
    const waited = this.#locator.engine === undefined || !this.#slots.hasFree;
    const located = await this.#locate(bounds, subject);
    if ('failure' in located) return located;
    const started = performance.now();
    const release = await this.#slots.acquire(bounds.signal);
    if (release === undefined) return this.#stopped(bounds, 'waiting for a free engine slot', started, subject);
    return { engine: located.engine, release, waited };
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
    onStdout: (chunk: Buffer) => number,
    stdin: string | undefined,
  ): ChildRun {
    return this.#track(
      startChildPatiently(
        { command, args: [...prefix, ...args], env: { ...this.#childEnv, ...env }, onStdout, stdin },
        signal,
      ),
    );
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
    const chunks: Buffer[] = [];
    let held = 0;
    const collect = (chunk: Buffer) => {
      chunks.push(chunk);
      held += chunk.length;
      return held;
    };
    const run = this.#start(slot.engine, command.args, bounds, collect, command.stdin);
    // Not at the exit alone: a child that is started from inside libuv's exit callback keeps the loop from reading pipes,
    // and with many calls waiting that lasts until the last of them.
    void Promise.all([run.ended, run.exited]).then(slot.release);
    const end = await run.ended;
    const outcome = readOutcome(toText(chunks), end, bounds.timeoutMs);
    if (outcome.kind === 'failure') {
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
    const run = (signal: AbortSignal) =>
      this.#runOnce(subject, { signal, timeoutMs: call.timeoutMs }, () => ({ args }));
    return (await this.#shared.get(key, call, run)) ?? failed(stoppedCall(call, 'running the engine'));
  }

  /**
   * Has the next call look for an engine anew when this one's file is gone. Whatever else keeps a file from being started
   * says nothing against it: another engine must not take its place for good.
   */
  async #forgetIfGone({ command }: EngineCommand, { spawnError }: ChildEnd): Promise<void> {
    if (spawnError?.code !== 'ENOENT' && spawnError?.code !== 'ENOTDIR') return;
    const patience = AbortSignal.timeout(LOOK_MS);
    const missing = this.#files.ask('missing', { path: command }, patience).catch(() => false);
    if (await unlessAborted(missing, patience)) this.#locator.forget();
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
