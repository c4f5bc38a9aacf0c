import { readFileSync } from 'node:fs';

/** The most memory that a process has held at once, bytes; 0 where the system does not tell (only Linux does here). */
export function peakMemory(pid: number | undefined): number {
  return readStatus(pid, /^VmHWM:\s+(\d+) kB$/m);
}

/** The memory that a process holds, bytes; 0 where the system does not tell. */
export function residentMemory(pid: number | undefined): number {
  return readStatus(pid, /^VmRSS:\s+(\d+) kB$/m);
}

function readStatus(pid: number | undefined, field: RegExp): number {
  if (process.platform !== 'linux') return 0;
  const [, kilobytes] = field.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
