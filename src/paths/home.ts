import { homedir } from 'node:os';
import path from 'node:path';
import { isFullyQualified } from './windows.js';

/** The home directory cannot be told. The message says why, in a clause. */
export class HomeError extends Error {
  override readonly name = 'HomeError';
}

/**
 * `~` and `~/…` (on Windows `~\…` too) stand for the home directory; anything else is returned as it is.
 * @throws HomeError where there is none: no HOME, and a user without an entry in the password database.
 */
export function expandHome(value: string): string {
  const rest = /^~(?=$|[/\\])/.test(value) ? value.slice(1) : undefined;
  if (rest === undefined || (rest.startsWith('\\') && path.sep !== '\\')) return value;
  return path.join(homeDirectory(), rest);
}

function homeDirectory(): string {
  let home: string;
  try {
    home = homedir();
  } catch {
    throw new HomeError('the server has no home directory (HOME is not set, and its user has no entry that names one)');
  }
  // An empty HOME would make `~/x` a file at the root, a relative one a file in the working directory.
  if (!isFullyQualified(home)) throw new HomeError(`the server's home directory is ${JSON.stringify(home)}`);
  return home;
}
