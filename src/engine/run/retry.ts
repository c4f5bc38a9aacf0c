import { setTimeout } from 'node:timers/promises';
import { type StopReason, stopReason } from '../call.js';
import type { ChildEnd, ChildRun, ChildSpec } from './child.js';
import { startChild } from './process.js';

/** From a start that failed for the moment to the next one, milliseconds. */
const MOMENT_MS = 100;

/**
 * Troubles that pass: the file is being written (an update under way), or the system is short of descriptors, processes
 * or memory. They say nothing about the file.
 */
const PASSING: Readonly<Record<string, string>> = {
  ETXTBSY: 'its file is being written',
  EMFILE: 'the server has too many files open',
  ENFILE: 'the system has too many files open',
  EAGAIN: 'the system has too many processes',
  ENOMEM: 'the system is out of memory',
};

/** What passing trouble kept a process from being started, in words; undefined for trouble that stays, and for none. */
export function passingTrouble(error: NodeJS.ErrnoException | undefined): string | undefined {
  const { code = '' } = error ?? {};
  const words = PASSING[code];
  return words && `${code}: ${words}`;
}

/** {@link startChild}, and once more after a moment when passing trouble kept the process from being started. */
export function startChildPatiently(spec: ChildSpec, signal: AbortSignal): ChildRun {
  let run = startChild(spec, signal);
  // What has a process has been started.
  if (run.pid !== undefined) return run;
  let stopped: StopReason | undefined;
  const again = async (end: ChildEnd): Promise<ChildEnd> => {
    if (passingTrouble(end.spawnError) === undefined) return end;
    await setTimeout(MOMENT_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return { ...end, stop: stopReason(signal) };
    if (stopped !== undefined) return { ...end, stop: stopped };
    run = startChild(spec, signal);
    return run.ended;
  };
  const ended = run.ended.then(again);
  return {
    pid: undefined,
    ended,
    exited: ended.then(() => run.exited),
    stop: (reason) => {
      stopped ??= reason;
      run.stop(reason);
    },
    write: (text) => run.write(text),
  };
}
