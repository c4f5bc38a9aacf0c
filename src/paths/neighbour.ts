import { opendir } from 'node:fs/promises';
import path from 'node:path';
import { isShareOrDevice } from './allow-list.js';

/** The look at a folder stops here: it must not hold up an error. */
const MAX_NAMES = 5000;
const MAX_MS = 50;

/**
 * The path of the one file beside a missing one whose name differs only by Unicode form, letter case or a look-alike
 * space (macOS puts U+202F into the names of screenshots), or undefined where none or several do. Never looks at a
 * network share.
 */
export async function nearlyMatching(absolute: string): Promise<string | undefined> {
  if (isShareOrDevice(absolute)) return undefined;
  const folder = path.dirname(absolute);
  const wanted = fold(path.basename(absolute));
  const until = performance.now() + MAX_MS;
  const matches: string[] = [];
  let seen = 0;
  try {
    for await (const { name } of await opendir(folder, { bufferSize: 256 })) {
      if (fold(name) === wanted) matches.push(name);
      seen += 1;
      if (seen >= MAX_NAMES || performance.now() > until || matches.length > 1) return undefined;
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
