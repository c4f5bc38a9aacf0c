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

/**
 * Reads the five `DECKPROBE_MCP_*` variables. Blank values count as unset, and so does a literal `${…}` that a client
 * passed on without expanding it.
 * @throws ConfigError for a number out of range, a root that is not absolute, or `~` where there is no home directory.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const warnings: string[] = [];
  const read = (name: string): string | undefined => {
    const value = env[name]?.trim();
    if (!value) return undefined;
    if (!/^\$\{[^}]*\}$/.test(value)) return value;
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
    roots: parseRoots(read('DECKPROBE_MCP_ROOTS')),
    timeoutMs: number('DECKPROBE_MCP_TIMEOUT_MS', 30_000, 2_147_483_647),
    maxConcurrency: number('DECKPROBE_MCP_MAX_CONCURRENCY', 4, 256),
    maxBatch: number('DECKPROBE_MCP_MAX_BATCH', 64, 1000),
    warnings,
  };
}

/** A relative root is refused: the working directory of a server that a desktop client starts is anybody's guess. */
function parseRoots(value: string | undefined): string[] | undefined {
  if (value === undefined) return undefined;
  const entries = value.split(path.delimiter).flatMap((entry) => entry.trim() || []);
  const roots = entries.map((entry) => path.normalize(expandRoot(entry)));
  const bad = roots.findIndex((root) => !isFullyQualified(root));
  if (bad === -1 && roots.length > 0) return roots;
  const culprit = JSON.stringify(entries[bad] ?? value);
  const absolute = path.sep === '\\' ? 'absolute folders with a drive or a share' : 'absolute folders';
  throw new ConfigError(
    `DECKPROBE_MCP_ROOTS has ${culprit}; valid are ${absolute}, or ~/ ones, separated by "${path.delimiter}"`,
  );
}

function expandRoot(entry: string): string {
  try {
    return expandHome(entry);
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    throw new ConfigError(
      `DECKPROBE_MCP_ROOTS has ${JSON.stringify(entry)}, but ${error.message}; valid are absolute folders`,
    );
  }
}
