import { onTestFinished } from 'vitest';
import { startCall } from '../../src/engine/call.js';
import type { CheckedInput } from '../../src/engine/types.js';
import { FileSystem } from '../../src/filesystem.js';
import { Paths } from '../../src/paths.js';

/** The path checks of a server with these roots; none of its looks may need a process. */
export function pathsUnder(roots?: readonly string[]): Paths {
  const files = new FileSystem(() => Promise.reject(new Error('no look should need a process here')));
  return new Paths({ roots, files });
}

/** Checks one path as a call of its own does. What is given to a recheck is left out. */
export async function checkPath(requested: string, roots?: readonly string[]): Promise<CheckedInput> {
  const call = startCall(undefined, 30_000);
  onTestFinished(() => call.end());
  const checked = await pathsUnder(roots).check(requested, call);
  if ('failure' in checked) return checked;
  const { recheck: _, ...input } = checked.input;
  return { input };
}
