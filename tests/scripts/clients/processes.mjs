// Starts processes in groups of their own, so that what they start in turn can be ended with them.
import { fork, spawn } from 'node:child_process';

/** Milliseconds that a client or an installation may take. */
const LONGEST = 300_000;
/** Milliseconds that processes have to end of their own accord once who started them is gone. */
const GRACE = 5000;
const started = new Set();
let stopping = false;

/** Runs a command to its end; resolves to its exit status, null where it was stopped, and all it printed. */
export function start(command, args, options) {
  refuseWhenStopping();
  return ended(spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/**
 * Runs a module with one message, and `afterwards` once its process has ended, before what that process has left
 * behind is stopped. Resolves to the message that the module answers with; throws with what it printed.
 */
export async function exchange(module, message, options, afterwards) {
  refuseWhenStopping();
  const child = fork(module, [], {
    execArgv: [],
    ...options,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let answer;
  child.once('message', (received) => {
    answer = received;
  });
  // A process that is gone already is told of below.
  child.send(message, () => {});
  const { status, output } = await ended(child, afterwards);
  if (answer === undefined)
    throw new Error(`it ended without an answer, with status ${status}:\n${output.slice(-4000)}`);
  return answer;
}

async function ended(child, afterwards) {
  started.add(child);
  let output = '';
  const keep = (chunk) => {
    output += chunk;
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', keep);
  const timer = setTimeout(() => {
    keep(`\nstopped after ${LONGEST / 1000} s\n`);
    stopGroup(child);
  }, LONGEST);
  try {
    const status = await new Promise((resolve, reject) => {
      child.once('error', reject);
      // Not 'close': what the process leaves behind may hold its pipes.
      child.once('exit', resolve);
    });
    await afterwards?.();
    return { status, output };
  } finally {
    clearTimeout(timer);
    stopGroup(child);
    started.delete(child);
  }
}

function stopGroup({ pid }) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

function refuseWhenStopping() {
  if (stopping) throw new Error('stopped');
}

/** Stops everything that was started and has not ended; nothing more is started. */
export function stopAll() {
  stopping = true;
  for (const child of started) stopGroup(child);
}

/** Resolves to those of the processes that have not ended of their own accord in time; they are stopped. */
export async function leftOvers(pids) {
  const alive = () => pids.filter(isAlive);
  const until = Date.now() + GRACE;
  while (alive().length > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  const left = alive();
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return left;
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
