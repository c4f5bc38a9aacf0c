import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Failure, isWellFormed, quote } from '../errors.js';
import { expandHome, HomeError } from './home.js';

/** Longest string that an argument may hold, UTF-16 units: Windows' longest path. */
const MAX_STRING_LENGTH = 32_767;

/** Why a string can be no argument at all, or undefined when it can. */
export function badString(value: string): string | undefined {
  if (value.includes('\0')) return 'holds a NUL character';
  if (value.length > MAX_STRING_LENGTH) return `is ${value.length} characters long; at most ${MAX_STRING_LENGTH} fit`;
  return isWellFormed(value) ? undefined : 'is not well-formed Unicode (it holds half of a surrogate pair)';
}

/** A requested path made absolute, and where a relative one was resolved from. */
export interface AbsolutePath {
  readonly absolute: string;
  readonly resolvedFrom: string | undefined;
}

/**
 * Reads a path as it was written: `~` and `~/…` are the home directory, a `file://` URL is decoded, and anything else
 * is literal; a relative path counts from the server's working directory.
 */
export function toAbsolute(requested: string): AbsolutePath | { readonly failure: Failure } {
  if (requested === '') return invalid('the path is empty');
  const problem = badString(requested);
  if (problem !== undefined) return invalid(`the path ${problem}`);
  let plain: string;
  try {
    plain = /^file:\/\//i.test(requested) ? fileURLToPath(requested) : expandHome(requested);
  } catch (error) {
    if (error instanceof HomeError) return invalid(`${quote(requested)} cannot be read: ${error.message}`);
    const reason = error instanceof Error ? error.message : String(error);
    return invalid(`${quote(requested)} is not a file URL of this machine: ${reason}`);
  }
  const decoded = badString(plain);
  if (decoded !== undefined) return invalid(`the path in ${quote(requested)} ${decoded}`);
  if (path.isAbsolute(plain)) return { absolute: path.resolve(plain), resolvedFrom: undefined };
  const resolvedFrom = workingDirectory();
  return { absolute: path.resolve(resolvedFrom, plain), resolvedFrom };
}

/** A server whose working directory was deleted resolves from the root, where a relative path just misses. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return path.parse(process.execPath).root;
  }
}

function invalid(message: string): { failure: Failure } {
  return {
    failure: { code: 'MCP_INVALID_ARGUMENT', message, hint: 'Give the absolute path of one file as path.' },
  };
}
