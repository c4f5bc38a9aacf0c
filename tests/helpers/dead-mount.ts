import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { mountDead } from '../scripts/dead-mount.mjs';
import { temporaryFolder } from './files.js';

export { whyNoDeadMount } from '../scripts/dead-mount.mjs';

/**
 * A folder on a file system that nobody serves: whoever looks at it waits in the kernel, as on a network share that is
 * gone. It answers with errors from the end of the test on.
 */
export function deadMount(): string {
  const folder = path.join(temporaryFolder(), 'dead');
  mkdirSync(folder);
  const mounted = mountDead(folder);
  if (typeof mounted === 'string') throw new Error(mounted);
  onTestFinished(() => mounted.end());
  return folder;
}
