import { onTestFinished } from 'vitest';
import { startCall } from '../../src/engine/call.js';
import type { CheckedInput } from '../../src/engine/types.js';
import { FileSystem, type ListingLimits } from '../../src/filesystem.js';
import { Neighbours } from '../../src/paths/neighbour.js';
import { type PathSettings, Paths } from '../../src/paths.js';

function ownFiles(): FileSystem {
  return new FileSystem(() => Promise.reject(new Error('no look should need a process here')));
}

/** The look for neighbours, with limits of its own. */
export function neighboursWithin(limits: ListingLimits): Neighbours {
  return new Neighbours(ownFiles(), limits);
}

/** The path checks of a server with these roots; none of its looks may need a process. */
export function pathsUnder(roots?: readonly string[], settings: Partial<PathSettings> = {}): Paths {
  return new Paths({ roots, files: ownFiles(), ...settings });
}

/** Checks one path as a call of its own does. The recheck, its time and the size are left out. */
export async function checkPath(
  requested: string,
  roots?: readonly string[],
  settings?: Partial<PathSettings>,
): Promise<CheckedInput> {
  const call = startCall(undefined, 30_000);
  onTestFinished(() => call.end());
  const checked = await pathsUnder(roots, settings).check(requested, call);
  if ('failure' in checked) return checked;
  const { recheck: _recheck, size: _size, checkedAt: _checkedAt, ...input } = checked.input;
  return { input };
}
