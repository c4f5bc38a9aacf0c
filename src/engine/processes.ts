import type { HelperOptions, HelperProcess } from '../filesystem.js';
import { unboundedController } from './call.js';
import type { FindNodeRuntime } from './find/index.js';
import { LineReader } from './read/index.js';
import { type ChildRun, OPEN, startChild } from './run/index.js';

/** All processes of a server, so that none outlives it. */
export class Processes {
  readonly #closing = unboundedController();
  readonly #running = new Set<ChildRun>();

  /** Aborts when the server ends. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** A child that is started while the engine closes (a queued call's, say) is stopped at once. */
  track(run: ChildRun): ChildRun {
    this.#running.add(run);
    void run.exited.then(() => this.#running.delete(run));
    if (this.#closing.signal.aborted) run.stop('closed');
    return run;
  }

  /** Stops every process; settles when they are gone. */
  async close(): Promise<void> {
    this.#closing.abort('closed');
    const running = [...this.#running];
    for (const run of running) run.stop('closed');
    await Promise.all(running.map((run) => run.exited));
  }

  /**
   * Starts a process of this server's own program. It holds no slot: it runs no engine.
   * @param base the environment of every child.
   * @throws Error where no program for Node.js can be started, with the reason.
   */
  async startHelper(
    { args, env, onLine, onEnd }: HelperOptions,
    findNode: FindNodeRuntime,
    base: NodeJS.ProcessEnv,
  ): Promise<HelperProcess> {
    const runtime = await findNode();
    if ('problem' in runtime) throw new Error(runtime.problem);
    const lines = new LineReader((line) => {
      onLine(line);
      return true;
    });
    const spec = {
      command: runtime.command,
      args,
      env: { ...base, ...runtime.env, ...env },
      stdin: OPEN,
      onStdout: (chunk: Buffer) => lines.add(chunk),
    } as const;
    const run = this.track(startChild(spec, this.#closing.signal));
    void run.ended.then(({ spawnError, signal, code }) =>
      onEnd(spawnError?.message ?? `the process that looks at files ended with ${signal ?? `exit status ${code}`}`),
    );
    return { write: run.write, end: () => run.stop('closed') };
  }
}
