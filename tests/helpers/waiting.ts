import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How long a test waits for what has to come sooner or later, milliseconds: no promise is measured by it. */
const PATIENCE_MS = 60_000;

/**
 * A deadline that a test sets, long enough for processes to be started within it: on Windows that takes several times as
 * long, and several more under Wine. Milliseconds.
 */
export function slowly(ms: number): number {
  return process.platform === 'win32' ? 5 * ms : ms;
}

/** Resolves once `holds` does; fails after a minute, saying what did not come about. */
export async function until(holds: () => boolean, missing: () => string): Promise<void> {
  const giveUp = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > giveUp) throw new Error(`after ${PATIENCE_MS} ms: ${missing()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * Runs `work` and fails where it takes longer than `ms`. The clock is a process that is started with it and sleeps so
 * long: on a busy machine it comes late, as does what is measured, so that a promise about time can be held to on both.
 */
export async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const clock = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${ms})`], { stdio: 'ignore' });
  const tooLate = once(clock, 'exit').then(() => {
    throw new Error(`it took longer than ${ms} ms`);
  });
  try {
    return await Promise.race([work(), tooLate]);
  } finally {
    clock.kill('SIGKILL');
  }
}
