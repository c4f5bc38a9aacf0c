// File systems that never answer, for the tests and the soak: FUSE mounts that nobody serves.
import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Why no file system that never answers can be made here, or undefined where one can. */
export function whyNoDeadMount() {
  if (process.platform !== 'linux') return 'it needs the FUSE of Linux';
  if (process.getuid() !== 0) return 'it needs root';
  try {
    closeSync(openSync('/dev/fuse', constants.O_RDWR));
  } catch (error) {
    return `/dev/fuse cannot be opened (${error.code})`;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'deckprobe-mcp-mount-'));
  const tried = mountDead(folder);
  if (typeof tried !== 'string') tried.end();
  rmdirSync(folder);
  return typeof tried === 'string' ? tried : undefined;
}

/**
 * Makes an empty folder one whose every look waits in the kernel, as on a network share that is gone. Whoever made it must
 * not look into it either.
 * @returns what ends it and lets all go that wait, or why it cannot be made.
 */
export function mountDead(folder) {
  const descriptor = openSync('/dev/fuse', constants.O_RDWR);
  // mount(8) hands the descriptor on to the kernel by its number in its own process.
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
  const { status, stderr } = spawnSync('mount', ['-i', '-t', 'fuse', 'dead', folder, '-o', options], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    encoding: 'utf8',
  });
  if (status !== 0) {
    closeSync(descriptor);
    return `a FUSE file system cannot be mounted here: ${stderr?.trim()}`;
  }
  return {
    end: () => {
      closeSync(descriptor);
      spawnSync('umount', ['-l', folder]);
    },
  };
}
