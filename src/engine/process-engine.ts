import type { Config } from '../config.js';
import { type Failure, failed } from '../errors.js';
import type { FileSystem, HelperOptions, HelperProcess } from '../filesystem.js';
import { Admission, type Bounds, failureLine } from './admission.js';
import { type Call, unlessAborted } from './call.js';
import { EngineLocator, EnginePermission, type FindNodeRuntime, inspect, nodeRuntimeFinder } from './find/index.js';
import { probeFlags } from './flags.js';
import { Processes } from './processes.js';
import { Collector, readOutcome, restoreInput, runBatch, toRecord } from './read/index.js';
import {
  type ChildEnd,
  type ChildRun,
  type ChildSpec,
  childEnvironment,
  Semaphore,
  startChildPatiently,
} from './run/index.js';
import { SharedAnswers } from './shared.js';
import type { Engine, EngineCommand, EngineDependencies, EngineInput, Outcome, ProbeOptions } from './types.js';

/** A look at the engine's own file may take this long, milliseconds. */
const LOOK_MS = 1000;

/**
 * A path that was checked longer ago is checked again before its process starts, milliseconds: others of its batch, or
 * the roots, may have taken their time to be looked at.
 */
const FRESH_MS = 50;

/** What an engine process is started with, or why it is not. */
type Command = { readonly args: readonly string[]; readonly stdin?: string } | { readonly failure: Failure };

/** The engine as processes of its own, one short one a call. The clock of a call is started without it. */
export class ProcessEngine implements Omit<Engine, 'startCall' | 'files' | 'versionSettled'> {
  readonly #files: FileSystem;
  readonly #childEnv: NodeJS.ProcessEnv;
  readonly #log: (line: string) => void;
  readonly #locator: EngineLocator;
  readonly #admission: Admission;
  readonly #permission: EnginePermission;
  readonly #nodeRuntime: FindNodeRuntime;
  readonly #shared = new SharedAnswers();
  readonly #processes = new Processes();

  constructor(
    config: Config,
    files: FileSystem,
    { log, output, env = process.env, resolveFrom = import.meta.url }: EngineDependencies,
  ) {
    this.#files = files;
    this.#childEnv = childEnvironment(env);
    this.#log = log ?? ((line) => process.stderr.write(`deckprobe-mcp: ${line}\n`));
    this.#permission = new EnginePermission(files, this.#log);
    const signal = this.#processes.closing;
    const start = { env, childEnv: this.#childEnv, signal, track: (run: ChildRun) => this.#processes.track(run) };
    const isThere = async (file: string) => (await inspect(file, files, signal)).there;
    this.#nodeRuntime = nodeRuntimeFinder({ ...start, isThere });
    const found = { permission: this.#permission, nodeRuntime: this.#nodeRuntime };
    const look = { bin: config.bin, from: resolveFrom, files, log: this.#log, ...found, ...start };
    const slots = new Semaphore(config.maxConcurrency);
    this.#locator = new EngineLocator(look, slots);
    this.#admission = new Admission({ locator: this.#locator, slots, output, log: this.#log });
  }

  get version(): string | undefined {
    return this.#locator.version;
  }

  /** Settles when the look for the engine that is under way is over. */
  get looking(): Promise<unknown> {
    return Promise.resolve(this.#locator.looking);
  }

  /** Starts a process of this server's own program, which looks at files. */
  startHelper(options: HelperOptions): Promise<HelperProcess> {
    return this.#processes.startHelper(options, this.#nodeRuntime, this.#childEnv);
  }

  start(): void {
    if (this.#processes.closing.aborted) return;
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
    const slot = await this.#admission.acquire(call, '');
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
          void this.#reportEnd(slot.engine, incomplete, end, input.path);
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
    await this.#processes.close();
    await this.#permission.remove();
  }

  #start(
    { command, prefix, env }: EngineCommand,
    args: readonly string[],
    { signal }: Bounds,
    streams: Pick<ChildSpec, 'stdin' | 'onStdout' | 'onStop'>,
  ): ChildRun {
    const spec = { ...streams, command, args: [...prefix, ...args], env: { ...this.#childEnv, ...env } };
    return this.#processes.track(startChildPatiently(spec, signal));
  }

  /** @param prepare makes the command when the slot is there; told whether the call had to wait for it. */
  async #runOnce(
    subject: string,
    bounds: Bounds,
    prepare: (waited: boolean) => Promise<Command> | Command,
  ): Promise<Outcome> {
    const slot = await this.#admission.acquire(bounds, subject);
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
      await this.#reportEnd(slot.engine, outcome.failure, end, subject);
    }
    return outcome;
  }

  async #discover(args: readonly string[], call: Call): Promise<Outcome> {
    const subject = args.join(' ');
    const located = await this.#admission.locate(call, subject);
    if ('failure' in located) return failed(located.failure);
    const { command, version } = located.engine;
    const key = JSON.stringify([command, version, ...args]);
    const outcome = await this.#shared.get(key, call, (bounds) => this.#runOnce(subject, bounds, () => ({ args })));
    // An answer that was kept takes no process, but room like any other.
    const unread =
      outcome.kind === 'answer' ? await this.#admission.whenRead(call, performance.now(), subject) : undefined;
    return unread === undefined ? outcome : failed(unread.failure);
  }

  /**
   * Tells the operator of a process that failed, and has the next call look for an engine anew when this one's file is
   * gone. Whatever else keeps a file from being started says nothing against it: another engine must not take its place
   * for good.
   */
  async #reportEnd({ command }: EngineCommand, failure: Failure, end: ChildEnd, subject: string): Promise<void> {
    this.#log(failureLine(failure, end.ms, end.pid, subject));
    const { code } = end.spawnError ?? {};
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return;
    const patience = AbortSignal.timeout(LOOK_MS);
    const status = this.#files.ask('status', { path: command }, patience).catch(() => undefined);
    if ((await unlessAborted(status, patience))?.missing) this.#locator.forget();
  }
}

function isOld({ checkedAt }: EngineInput): boolean {
  return checkedAt !== undefined && performance.now() - checkedAt > FRESH_MS;
}
