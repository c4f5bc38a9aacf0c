import { opendir } from 'node:fs/promises';
import path from 'node:path';
import { isShareOrDevice } from './allow-list.js';

/** It must not hold up an error: the look at a folder ends at so many names, and reads no further after so many ms. */
export const LIMITS = { names: 5000, ms: 50 };
/** Names that are read in one piece. */
const AT_ONCE = 256;

/**
 * The path of the one file beside a missing one whose name differs only by Unicode form, letter case or a look-alike
 * space (macOS puts U+202F into the names of screenshots), or undefined where none or several do, or where the folder
 * could not be read to its end within the limits. Never looks at a network share.
 */
export async function nearlyMatching(absolute: string, limits = LIMITS): Promise<string | undefined> {
  if (isShareOrDevice(absolute)) return undefined;
  const folder = path.dirname(absolute);
  const wanted = fold(path.basename(absolute));
  const until = performance.now() + limits.ms;
  const matches: string[] = [];
  let seen = 0;
  try {
    for await (const { name } of await opendir(folder, { bufferSize: AT_ONCE })) {
      if (fold(name) === wanted) matches.push(name);
      seen += 1;
      if (seen >= limits.names || matches.length > 1) return undefined;
      if (seen % AT_ONCE === 0 && performance.now() > until) return undefined;
    }
  } catch {
    return undefined;
  }
  const [only] = matches;
  return only === undefined ? undefined : path.join(folder, only);
}

/** NFC after lower-casing, with every space separator (U+00A0, U+202F …) as a plain space. */
function fold(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/\p{Zs}/gu, ' ');
}
