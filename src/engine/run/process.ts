import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { type StopReason, stopReason } from '../call.js';
import { StderrTail } from './stderr-tail.js';

/** From SIGTERM to SIGKILL, milliseconds. */
const KILL_GRACE_MS = 300;
/** From a child's exit, or its SIGKILL, until its pipes are given up, milliseconds. */
const DRAIN_MS = 200;
/** Bytes of stdout that may be held unread before the child is stopped. */
const STDOUT_LIMIT = 64 * 1024 * 1024;

/** Leaves a child's stdin open. */
export const OPEN = Symbol('open');

export interface ChildSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /**
   * Written to the child's stdin, which is then closed. Without it the child has no stdin; {@link OPEN} leaves it open for
   * {@link ChildRun.write}.
   */
  readonly stdin?: string | typeof OPEN | undefined;
  /** Takes each piece of stdout; returns how many bytes are now held. */
  readonly onStdout: (chunk: Buffer) => number;
}

/** How a child ended. */
export interface ChildEnd {
  readonly pid: number | undefined;
  /** From start to end, milliseconds. */
  readonly ms: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The first reason to stop it, if it was stopped. */
  readonly stop: StopReason | undefined;
  /** Why it could not be started. */
  readonly spawnError: NodeJS.ErrnoException | undefined;
  /** The end of what it wrote to stderr: one line, at most 1 KiB. */
  readonly stderr: string;
}

export interface ChildRun {
  /** The process, where one was started. */
  readonly pid: number | undefined;
  /** Settles when the output is complete or given up. Never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** Settles when the process is gone, which may be after `ended`. Never rejects. */
  readonly exited: Promise<void>;
  /** Ends the child and its process group. Only the first reason counts. */
  stop(reason: StopReason): void;
  /** Writes to a stdin that was left open. */
  write(text: string): void;
}

/**
 * Starts one process; the only place that does. It runs until it ends by itself, `signal` aborts (with a
 * {@link StopReason}), or it is stopped. Nothing it does makes this throw.
 */
export function startChild(spec: ChildSpec, signal: AbortSignal): ChildRun {
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
  return supervise(child, spec, signal);
}

function notStarted(spawnError: NodeJS.ErrnoException): ChildRun {
  const end: ChildEnd = { pid: undefined, ms: 0, code: null, signal: null, stop: undefined, spawnError, stderr: '' };
  return { pid: undefined, ended: Promise.resolve(end), exited: Promise.resolve(), stop: () => {}, write: () => {} };
}

function supervise(child: ChildProcess, spec: ChildSpec, signal: AbortSignal): ChildRun {
  const started = performance.now();
  const stderr = new StderrTail();
  let stopped: StopReason | undefined;
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

  const settle = () => {
    clearTimeout(timer);
    // What an engine that ended by itself has left behind goes once the answer is on its way.
    setImmediate(sweep);
    signal.removeEventListener('abort', onAbort);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    onEnded({
      pid: child.pid,
      ms: performance.now() - started,
      code: child.exitCode,
      signal: child.signalCode,
      stop: stopped,
      spawnError,
      stderr: stderr.toString(),
    });
  };
  // A process that left the group may hold the pipes open for as long as it likes. When the event loop was busy, the
  // timer is due before the loop has looked at them, so what the kernel holds is read first: immediates run after that.
  const drain = () => {
    clearTimeout(timer);
    timer = setTimeout(() => setImmediate(settle), DRAIN_MS);
  };
  const stop = (reason: StopReason) => {
    if (stopped !== undefined || child.pid === undefined || hasExited(child)) return;
    stopped = reason;
    killTree(child.pid, 'SIGTERM');
    timer = setTimeout(() => {
      if (child.pid !== undefined) killTree(child.pid, 'SIGKILL');
      drain();
    }, KILL_GRACE_MS);
  };
  /** Ends what is left of the group of a child that has exited. */
  const sweep = () => {
    if (child.pid !== undefined && process.platform !== 'win32') killTree(child.pid, 'SIGKILL');
  };
  const onAbort = () => stop(stopReason(signal));

  child.stdout?.on('data', (chunk: Buffer) => {
    if (stopped === undefined && spec.onStdout(chunk) > STDOUT_LIMIT) stop('output');
  });
  child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk));
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => {});
  // Node would shut a pipe at its end down for writing too, which is a call to the system and two turns of the loop.
  for (const stream of [child.stdout, child.stderr]) stream?.on('end', () => stream.destroy());
  child.on('error', (error) => {
    if (child.pid !== undefined) return;
    spawnError = error;
    onExited();
    settle();
  });
  child.on('exit', () => {
    onExited();
    if (stopped !== undefined) sweep();
    drain();
  });
  child.on('close', settle);
  if (spec.stdin !== OPEN) child.stdin?.end(spec.stdin);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return { pid: child.pid, ended, exited, stop, write: (text) => void child.stdin?.write(text) };
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Signals a child's whole process group; on Windows, where there are none, ends its tree at once. */
function killTree(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    const { command, args } = taskkill(pid, process.env);
    spawn(command, args, { stdio: 'ignore', windowsHide: true }).on('error', () => kill(pid, signal));
    return;
  }
  kill(-pid, signal);
}

function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

/** The Windows command that ends a process and its descendants. */
export function taskkill(pid: number, env: NodeJS.ProcessEnv): { command: string; args: string[] } {
  const system = env.SystemRoot ?? 'C:\\Windows';
  return {
    command: path.win32.join(system, 'System32', 'taskkill.exe'),
    args: ['/PID', String(pid), '/T', '/F'],
  };
}
