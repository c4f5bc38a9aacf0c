import { homedir } from 'node:os';
import path from 'node:path';

/** `~` and `~/…` (on Windows `~\…` too) stand for the home directory; anything else is returned as it is. */
export function expandHome(value: string): string {
  const rest = /^~(?=$|[/\\])/.test(value) ? value.slice(1) : undefined;
  if (rest === undefined || (rest.startsWith('\\') && path.sep !== '\\')) return value;
  return path.join(homedir(), rest);
}
