import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { OUTPUT_LIMIT, type OutputTrouble, type StopReason, stopReason } from '../call.js';
import { type ChildEnd, type ChildRun, type ChildSpec, OPEN } from './child.js';
import { killRest, killTree } from './kill.js';
import { StderrTail } from './stderr-tail.js';

/** From SIGTERM to SIGKILL, milliseconds. On Windows the tool that ends a tree has this long: it has to be started first. */
const KILL_GRACE_MS = process.platform === 'win32' ? 1000 : 300;
/** From a child's exit, or its SIGKILL, until its pipes are given up, milliseconds. */
const DRAIN_MS = 200;
/** Reasons to stop a child that has ended already: what it left in its pipes may still be wrong. */
const OUTPUT_TROUBLES: ReadonlySet<StopReason> = new Set<OutputTrouble>(['output', 'junk', 'deep', 'fault']);

/**
 * Starts one process; the only place that does. It runs until it ends by itself, `signal` aborts (with a
 * {@link StopReason}), or it is stopped. Nothing it does makes this throw.
 */
export function startChild(spec: ChildSpec, signal: AbortSignal): ChildRun {
  if (wasRefused && !hasDescriptors(spec.stdin === undefined ? 2 : 3)) return notStarted(tooManyFiles());
  let child: ChildProcess;
  try {
    child = spawn(spec.command, spec.args, {
      stdio: [spec.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      env: spec.env,
      shell: false,
      // A group of its own, so that a launcher script's children can be ended with it. Windows has no groups, and
      // there `detached` would open a console window.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  } catch (error) {
    // spawn reports most failures by event, but throws for E2BIG and its like.
    return notStarted(error instanceof Error ? error : new Error(String(error)));
  }
  wasRefused ||= child.pid === undefined;
  return supervise(child, spec, signal);
}

/**
 * Whether a start has been refused. Node loses the ends of a child's pipes when a start fails for want of descriptors
 * (it gives up before it knows them), so that each try would leave fewer: from the first one on they are counted before. The table of descriptors is the process's own.
 */
let wasRefused = false;

/** Whether there are descriptors for a start: a pair for each stream, and a pipe. Windows has no such limit. */
function hasDescriptors(streams: number): boolean {
  if (process.platform === 'win32') return true;
  const opened: number[] = [];
  try {
    while (opened.length < 2 * streams + 2) opened.push(openSync('/dev/null', 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

function tooManyFiles(): NodeJS.ErrnoException {
  return Object.assign(new Error('too many open files'), { code: 'EMFILE' });
}

function notStarted(spawnError: NodeJS.ErrnoException): ChildRun {
  const nothing = { pid: undefined, ms: 0, code: null, signal: null, stop: undefined, fault: undefined, stderr: '' };
  const end: ChildEnd = { ...nothing, spawnError };
  return { pid: undefined, ended: Promise.resolve(end), exited: Promise.resolve(), stop: () => {}, write: () => {} };
}

function supervise(child: ChildProcess, spec: ChildSpec, signal: AbortSignal): ChildRun {
  const started = performance.now();
  const stderr = new StderrTail();
  let stopped: StopReason | undefined;
  let fault: Error | undefined;
  let spawnError: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  let onEnded: (end: ChildEnd) => void;
  let onExited: () => void;
  const ended = new Promise<ChildEnd>((resolve) => {
    onEnded = resolve;
  });
  const exited = new Promise<void>((resolve) => {
    onExited = resolve;
  });

  /** For all that the event loop calls: what is thrown there would end the server. It ends the child instead. */
  const guarded =
    <T extends unknown[]>(listener: (...args: T) => void) =>
    (...args: T): void => {
      try {
        listener(...args);
      } catch (error) {
        fault ??= error instanceof Error ? error : new Error(String(error));
        stop('fault');
      }
    };
  const settle = () => {
    clearTimeout(timer);
    // What an engine that ended by itself has left behind goes once the answer is on its way.
    setImmediate(() => killRest(child));
    signal.removeEventListener('abort', onAbort);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    onEnded({
      pid: child.pid,
      ms: performance.now() - started,
      code: child.exitCode,
      signal: child.signalCode,
      stop: stopped,
      fault,
      spawnError,
      stderr: stderr.toString(),
    });
  };
  // A process that left the group may hold the pipes open for as long as it likes. When the event loop was busy, the
  // timer is due before the loop has looked at them, so what the kernel holds is read first: immediates run after that.
  const drain = () => {
    clearTimeout(timer);
    timer = setTimeout(() => setImmediate(guarded(settle)), DRAIN_MS);
  };
  const stop = (reason: StopReason) => {
    if (stopped !== undefined || child.pid === undefined || (hasExited(child) && !OUTPUT_TROUBLES.has(reason))) return;
    stopped = reason;
    if (!hasExited(child)) {
      killTree(child, 'SIGTERM');
      const kill = () => {
        killTree(child, 'SIGKILL');
        drain();
      };
      timer = setTimeout(guarded(kill), KILL_GRACE_MS);
    }
    // To read on would fill the memory with what nobody wants, faster than it is freed on a busy machine.
    child.stdout?.destroy();
    guarded(() => spec.onStop?.())();
  };
  const onAbort = guarded(() => stop(stopReason(signal)));
  const onData = (chunk: Buffer) => {
    if (stopped === undefined && spec.onStdout(chunk) > OUTPUT_LIMIT) stop('output');
  };
  child.stdout?.on('data', guarded(onData));
  const onStderr = (chunk: Buffer) => stderr.add(chunk);
  child.stderr?.on('data', guarded(onStderr));
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => {});
  // Node would shut a pipe at its end down for writing too, which is a call to the system and two turns of the loop.
  for (const stream of [child.stdout, child.stderr]) stream?.on('end', () => stream.destroy());
  const onError = (error: Error) => {
    if (child.pid !== undefined) return;
    spawnError = error;
    onExited();
    settle();
  };
  child.on('error', guarded(onError));
  const onExit = () => {
    onExited();
    if (stopped !== undefined) killRest(child);
    drain();
  };
  child.on('exit', guarded(onExit));
  child.on('close', guarded(settle));
  if (spec.stdin !== OPEN) child.stdin?.end(spec.stdin);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return { pid: child.pid, ended, exited, stop, write: (text) => void child.stdin?.write(text) };
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
