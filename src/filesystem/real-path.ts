import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

const SEPARATORS = path.sep === '\\' ? /[/\\]/ : /\//;
/**
 * Links followed by hand. Linux follows 40: where a longer chain ends has to be known all the same, since its last links
 * can be followed from the middle of it, and since a refusal must not tell whether there is a file at its end.
 */
const MAX_LINKS = 256;

/** Where a path leads. */
export interface RealPath {
  readonly real: string;
  /** Whether the system has followed it to its end. Else `real` may be the place of a link that has appeared since. */
  readonly isFollowed: boolean;
}

/**
 * The real path of a file, whether it exists or not: what exists of it is resolved, and a dangling link is followed to
 * where it points, so that a missing file is judged by the place it would be at. What cannot be looked at (no
 * permission, a loop, too long a name) is taken as its name in its real folder: the engine cannot open it either. Of
 * more links than are followed it is the root of the file system.
 */
export async function realPathOf(absolute: string, platform: NodeJS.Platform = process.platform): Promise<RealPath> {
  const followed = await resolve(absolute);
  if (followed !== undefined) return { real: followed, isFollowed: true };
  const reached = await walk(absolute);
  // The system follows the end of a chain of links that is too long as a whole.
  const end = await resolve(reached);
  return { real: end ?? (await spelledAsStored(reached, platform)), isFollowed: end !== undefined };
}

async function resolve(absolute: string): Promise<string | undefined> {
  try {
    return await realpath(absolute);
  } catch {
    return undefined;
  }
}

/**
 * Resolves one component after the other, as the kernel does: `..` leads to the parent of where a link has led, not of
 * where the link stands, be it in the path or in the target of a link.
 */
async function walk(absolute: string): Promise<string> {
  const { root } = path.parse(absolute);
  let reached = root;
  const followed = new Set<string>();
  let links = 0;
  const ahead = absolute.slice(root.length).split(SEPARATORS);
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      reached = path.dirname(reached);
      continue;
    }
    const at = path.join(reached, name);
    const target = await linkTarget(at);
    const isLast = links >= MAX_LINKS;
    if (isLast && target !== undefined && !followed.has(at)) return root;
    if (isLast || target === undefined) {
      reached = at;
      continue;
    }
    links += 1;
    followed.add(at);
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
async function spelledAsStored(reached: string, platform: NodeJS.Platform): Promise<string> {
  // Where every name has one spelling there is nothing to find.
  if (platform !== 'win32' && platform !== 'darwin') return reached;
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
