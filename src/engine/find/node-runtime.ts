import path from 'node:path';
import { searchFolders } from '../../paths/windows.js';
import { describeExitStatus } from '../read/index.js';
import { type ChildRun, startChildPatiently } from '../run/index.js';

/** How long a runtime may take to say which one it is, milliseconds. */
const ANSWER_MS = 5000;
const OLDEST_NODE = 20;
const QUESTION = ['-e', 'process.stdout.write("node " + process.versions.node)'];

/** How a program for Node.js is started: before its own arguments, and beside the environment of every child. */
export interface NodeRuntime {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface NodeRuntimeOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly childEnv: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly track: (run: ChildRun) => ChildRun;
  /** Whether an executable file is there. */
  readonly isThere: (file: string) => Promise<boolean>;
}

/** How programs for Node.js are started from this process, or the reason why none can be. Never rejects. */
export type FindNodeRuntime = () => Promise<NodeRuntime | { readonly problem: string }>;

/** {@link findNodeRuntime}, which is asked once and, where nothing was found, once more at the next need. */
export function nodeRuntimeFinder(options: NodeRuntimeOptions): FindNodeRuntime {
  let runtime: ReturnType<FindNodeRuntime> | undefined;
  return async () => {
    runtime ??= findNodeRuntime(options);
    const found = await runtime;
    if ('problem' in found) runtime = undefined;
    return found;
  };
}

/**
 * How programs for Node.js are started from this process; the only place that knows. That is this process's own
 * executable, but not where a desktop client runs the server inside Electron: that executable is a Node.js only where
 * ELECTRON_RUN_AS_NODE says so, some clients switch that off, and in some versions it crashes all the same. So there it
 * is asked, then each `node` on PATH (absolute entries only).
 * @returns the reason where none answers as Node.js 20 or newer.
 */
async function findNodeRuntime(options: NodeRuntimeOptions): Promise<NodeRuntime | { readonly problem: string }> {
  if (process.versions.electron === undefined) return { command: process.execPath, env: {} };
  const own = { command: process.execPath, env: { ELECTRON_RUN_AS_NODE: '1' } };
  const reasons: string[] = [];
  for await (const runtime of runtimes(own, options)) {
    const problem = await askRuntime(runtime, options);
    if (problem === undefined) return runtime;
    reasons.push(`${JSON.stringify(runtime.command)} ${problem}`);
  }
  const onPath = reasons.length > 1 ? '' : ', and there is no "node" on PATH';
  return { problem: `no program for Node.js can be started inside Electron: ${reasons.join('; ')}${onPath}` };
}

async function* runtimes(own: NodeRuntime, { env, isThere }: NodeRuntimeOptions): AsyncGenerator<NodeRuntime> {
  yield own;
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  for (const folder of searchFolders(env)) {
    const command = path.join(folder, name);
    if (await isThere(command)) yield { command, env: {} };
  }
}

/** Why a runtime cannot be used, or undefined when it can. */
async function askRuntime(
  { command, env }: NodeRuntime,
  { childEnv, signal, track }: NodeRuntimeOptions,
): Promise<string | undefined> {
  let stdout = '';
  const onStdout = (chunk: Buffer) => {
    stdout = (stdout + chunk.toString('utf8')).slice(0, 256);
    return 0;
  };
  const run = track(startChildPatiently({ command, args: QUESTION, env: { ...childEnv, ...env }, onStdout }, signal));
  const timer = setTimeout(run.stop, ANSWER_MS, 'deadline');
  const end = await run.ended;
  clearTimeout(timer);
  await run.exited;
  const [, version = ''] = /^node (\d+)\./.exec(stdout) ?? [];
  if (end.code === 0 && Number(version) >= OLDEST_NODE) return undefined;
  if (end.spawnError !== undefined) return `could not be started (${end.spawnError.code ?? end.spawnError.message})`;
  if (end.stop !== undefined) return `did not answer within ${ANSWER_MS} ms`;
  if (end.signal !== null) return `was ended by ${end.signal}`;
  if (version !== '') return `is Node.js ${version}, older than ${OLDEST_NODE}`;
  return `is no Node.js (${describeExitStatus(end.code)})`;
}
