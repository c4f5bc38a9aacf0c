// What the system tells of processes. Linux tells more than others; elsewhere there is only whether one exists.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LINUX = process.platform === 'linux';

/**
 * Whether a process exists and is no zombie. Ids are given anew after a while: on Linux one counts only where it runs in
 * `folder`, which every descendant of a server that was started there does.
 */
export function isAlive(pid, folder) {
  if (LINUX) return workingFolder(pid) === folder;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Every process that runs in a folder, where the system tells. */
export function runsIn(folder) {
  if (!LINUX) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => workingFolder(pid) === folder);
}

/** Where a process runs; undefined for one that is gone, also when nobody has waited for it yet. */
function workingFolder(pid) {
  return unlessGone(() => readlinkSync(`/proc/${pid}/cwd`));
}

/** What a process has started and has not ended, or is not let go by the kernel. */
export function childrenOf(pid) {
  const line = LINUX ? (unlessGone(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')) ?? '') : '';
  return line
    .split(' ')
    .map(Number)
    .filter((child) => child > 0);
}

/** The server's processes that look at files for it. */
export function helpersOf(pid) {
  return childrenOf(pid).filter((child) => /[\\/]runner\.js/.test(describe(child)));
}

/** A process in a few words, for a person. */
export function describe(pid) {
  const line = LINUX ? unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()) : '';
  return `${pid} (${(line || '?').slice(0, 200)})`;
}

/** Resident memory and its peak in MiB, and open descriptors; undefined where the system does not tell. */
export function usage(pid) {
  if (!LINUX) return undefined;
  return unlessGone(() => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const mib = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024;
    return { resident: mib('VmRSS'), peak: mib('VmHWM'), descriptors: readdirSync(`/proc/${pid}/fd`).length };
  });
}

/** What a process has open, most frequent first, for a person. */
export function describeDescriptors(pid) {
  const counts = new Map();
  for (const name of unlessGone(() => readdirSync(`/proc/${pid}/fd`)) ?? []) {
    const what = unlessGone(() => readlinkSync(`/proc/${pid}/fd/${name}`).replace(/:\[\d+\]$/, ''));
    if (what !== undefined) counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}

/** Lets a process open only so many files more than it has now; does nothing where the system has no means for that. */
export function limitDescriptors(pid, spare) {
  const used = usage(pid);
  if (used !== undefined) spawnSync('prlimit', [`--pid=${pid}`, `--nofile=${used.descriptors + spare}`]);
}

/** A process may go while one looks at it. */
function unlessGone(look) {
  try {
    return look();
  } catch {
    return undefined;
  }
}
