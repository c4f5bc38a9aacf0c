import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

const SEPARATORS = path.sep === '\\' ? /[/\\]/ : /\//;
/** Links followed by hand before a path is taken as it is; Linux gives up at 40 too. */
const MAX_LINKS = 40;

/**
 * The real path of a file, whether it exists or not: what exists of it is resolved, and a dangling link is followed to
 * where it points, so that a missing file is judged by the place it would be at. What cannot be looked at (no
 * permission, a loop, too long a name) is taken as its name in its real folder: the engine cannot open it either.
 */
export async function realPathOf(absolute: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch {
    return spelledAsStored(await walk(absolute));
  }
}

/**
 * Resolves one component after the other, as the kernel does: `..` leads to the parent of where a link has led, not of
 * where the link stands, be it in the path or in the target of a link.
 */
async function walk(absolute: string): Promise<string> {
  const { root } = path.parse(absolute);
  let reached = root;
  let links = 0;
  const ahead = absolute.slice(root.length).split(SEPARATORS);
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      reached = path.dirname(reached);
      continue;
    }
    const at = path.join(reached, name);
    const target = links < MAX_LINKS ? await linkTarget(at) : undefined;
    if (target === undefined) {
      reached = at;
      continue;
    }
    links += 1;
    const targetRoot = path.isAbsolute(target) ? path.parse(target).root : '';
    if (targetRoot !== '') reached = path.resolve(reached, targetRoot);
    ahead.unshift(...target.slice(targetRoot.length).split(SEPARATORS));
  }
  return reached;
}

/**
 * A path whose end is missing, with what exists of it as the file system spells it: letter case and Unicode form on macOS
 * and Windows, and 8.3 names there.
 */
async function spelledAsStored(reached: string): Promise<string> {
  const missing: string[] = [];
  let existing = reached;
  while (existing !== path.dirname(existing)) {
    missing.unshift(path.basename(existing));
    existing = path.dirname(existing);
    try {
      return path.join(await realpath(existing), ...missing);
    } catch {
      // Missing as well, or not to be looked at.
    }
  }
  return reached;
}

async function linkTarget(absolute: string): Promise<string | undefined> {
  try {
    return (await lstat(absolute)).isSymbolicLink() ? await readlink(absolute) : undefined;
  } catch {
    return undefined;
  }
}
