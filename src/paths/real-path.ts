import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

/** Links followed by hand before a path is taken as it is; Linux gives up at 40 too. */
const MAX_LINKS = 40;

/**
 * The real path of a file, whether it exists or not: what exists of it is resolved, and a dangling link is followed to
 * where it points, so that a missing file is judged by the place it would be at. What cannot be looked at (no
 * permission, a loop, too long a name) is taken as its name in its real folder: the engine cannot open it either.
 */
export async function realPathOf(absolute: string, links = 0): Promise<string> {
  try {
    return await realpath(absolute);
  } catch {
    const parent = path.dirname(absolute);
    if (parent === absolute) return absolute;
    const target = links < MAX_LINKS ? await linkTarget(absolute) : undefined;
    if (target !== undefined) {
      // A relative target counts from the link's real folder, where `..` means what the file system means by it.
      return realPathOf(path.resolve(await realPathOf(parent, links + 1), target), links + 1);
    }
    return path.join(await realPathOf(parent, links), path.basename(absolute));
  }
}

async function linkTarget(absolute: string): Promise<string | undefined> {
  try {
    return (await lstat(absolute)).isSymbolicLink() ? await readlink(absolute) : undefined;
  } catch {
    return undefined;
  }
}
