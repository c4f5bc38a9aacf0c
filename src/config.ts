import path from 'node:path';
import { expandHome, HomeError } from './paths/home.js';
import { isFullyQualified } from './paths/windows.js';

/** The server's settings, read once at startup. */
export interface Config {
  /** `DECKPROBE_MCP_BIN`, as given. Whether it can be used is found out when the engine is resolved. */
  readonly bin: string | undefined;
  /** `DECKPROBE_MCP_ROOTS`: absolute folders, or undefined when every path may be read. */
  readonly roots: readonly string[] | undefined;
  /** Deadline of one call, milliseconds. */
  readonly timeoutMs: number;
  /** Engine processes at once, over all tools. */
  readonly maxConcurrency: number;
  /** Paths in one `probe_batch`. */
  readonly maxBatch: number;
  /** Lines for the operator about settings that were passed over. */
  readonly warnings: readonly string[];
}

/** A variable whose value cannot be used. The message names the variable, the value and what is valid. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A whole value, or one entry of a list, that a client should have put something in place of and did not. */
export const PLACEHOLDER = /^\$\{[^}]*\}$/;
/** The entries of a list of folders. A placeholder is one entry though it may hold the delimiter. */
const ENTRIES = new RegExp(`(?:\\$\\{[^}]*\\}|[^${path.delimiter}])+`, 'g');

/**
 * Reads the five `DECKPROBE_MCP_*` variables. Blank values count as unset, and so does a literal `${…}` that a client
 * passed on without expanding it. Among other roots such an entry is left out with a warning; where it was the last one,
 * no root is left and nothing may be read, since the operator wanted a limit.
 * @throws ConfigError for a number out of range, a root that is not absolute, or `~` where there is no home directory.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const warnings: string[] = [];
  const read = (name: string): string | undefined => {
    const value = env[name]?.trim();
    if (!value) return undefined;
    if (!PLACEHOLDER.test(value)) return value;
    warnings.push(`${name} is ${JSON.stringify(value)}, which the client did not expand: treated as unset`);
    return undefined;
  };
  const number = (name: string, fallback: number, max: number): number => {
    const value = read(name);
    if (value === undefined) return fallback;
    const parsed = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (parsed >= 1 && parsed <= max) return parsed;
    throw new ConfigError(`${name} is ${JSON.stringify(value)}; valid is a whole number from 1 to ${max}`);
  };
  return {
    bin: read('DECKPROBE_MCP_BIN'),
    roots: parseRoots(read('DECKPROBE_MCP_ROOTS'), warnings),
    timeoutMs: number('DECKPROBE_MCP_TIMEOUT_MS', 30_000, 2_147_483_647),
    maxConcurrency: number('DECKPROBE_MCP_MAX_CONCURRENCY', 4, 256),
    maxBatch: number('DECKPROBE_MCP_MAX_BATCH', 64, 1000),
    warnings,
  };
}

function parseRoots(value: string | undefined, warnings: string[]): string[] | undefined {
  if (value === undefined) return undefined;
  const entries = value.match(ENTRIES)?.flatMap((entry) => entry.trim() || []) ?? [];
  const separated = `, separated by "${path.delimiter}"`;
  return readRoots('DECKPROBE_MCP_ROOTS', entries.length > 0 ? entries : [value], warnings, separated);
}

/**
 * The roots that a list of folders names. `~` is the home directory. A relative one is refused: the working directory of
 * a server that a desktop client starts is anybody's guess. An unexpanded `${…}` is left out, and said so in `warnings`.
 * @param setting the name under which the operator knows the list.
 * @param written how the entries of such a list are written, for the error.
 * @throws ConfigError for an entry that is not absolute, or that needs a home directory where there is none.
 */
export function readRoots(setting: string, entries: readonly string[], warnings: string[], written = ''): string[] {
  const given = entries.filter((entry) => !PLACEHOLDER.test(entry));
  for (const entry of entries) {
    if (given.includes(entry)) continue;
    const rest = given.length > 0 ? 'left out' : 'left out, so that nothing may be read';
    warnings.push(`${setting} has ${JSON.stringify(entry)}, which the client did not expand: ${rest}`);
  }
  return given.map((entry) => {
    const root = path.normalize(expandRoot(setting, entry));
    if (isFullyQualified(root)) return root;
    const absolute = path.sep === '\\' ? 'absolute folders with a drive or a share' : 'absolute folders';
    throw new ConfigError(`${setting} has ${JSON.stringify(entry)}; valid are ${absolute}, or ~/ ones${written}`);
  });
}

function expandRoot(setting: string, entry: string): string {
  try {
    return expandHome(entry);
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    throw new ConfigError(`${setting} has ${JSON.stringify(entry)}, but ${error.message}; valid are absolute folders`);
  }
}
