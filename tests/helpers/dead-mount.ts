import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './files.js';

/** Why no file system that never answers can be made here, or undefined where one can. */
export function whyNoDeadMount(): string | undefined {
  if (process.platform !== 'linux') return 'it needs the FUSE of Linux';
  if (process.getuid?.() !== 0) return 'it needs root';
  try {
    closeSync(openSync('/dev/fuse', constants.O_RDWR));
  } catch (error) {
    return `/dev/fuse cannot be opened (${(error as NodeJS.ErrnoException).code})`;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'deckprobe-mcp-mount-'));
  const tried = mount(folder);
  if (typeof tried !== 'string') tried.end();
  rmdirSync(folder);
  return typeof tried === 'string' ? tried : undefined;
}

/**
 * A folder on a file system that nobody serves: whoever looks at it waits in the kernel, as on a network share that is
 * gone. It answers with errors from the end of the test on.
 */
export function deadMount(): string {
  const folder = path.join(temporaryFolder(), 'dead');
  mkdirSync(folder);
  const mounted = mount(folder);
  if (typeof mounted === 'string') throw new Error(mounted);
  onTestFinished(() => mounted.end());
  return folder;
}

function mount(folder: string): { end(): void } | string {
  const descriptor = openSync('/dev/fuse', constants.O_RDWR);
  // mount(8) hands the descriptor on to the kernel by its number in its own process.
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
  const { status, stderr } = spawnSync('mount', ['-i', '-t', 'fuse', 'dead', folder, '-o', options], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    encoding: 'utf8',
  });
  if (status !== 0) {
    closeSync(descriptor);
    return `a FUSE file system cannot be mounted here: ${stderr.trim()}`;
  }
  return {
    end: () => {
      closeSync(descriptor);
      spawnSync('umount', ['-l', folder]);
    },
  };
}
