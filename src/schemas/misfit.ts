import type * as z from 'zod';
import { clip, type Failure, quote } from '../errors.js';
import { isObject } from '../json.js';
import { badString } from '../paths/requested.js';
import { describeSchema, type JsonSchema, schemaAt } from './json-schema.js';

/** Paths are judged one by one where they are checked, so that a bad one costs its own entry of a batch. */
const PATH_FIELDS = new Set(['path', 'paths']);

/**
 * The first string among the arguments that can be no argument at all, if there is one. Goes only where the schema
 * does, whose bounds the arguments have to keep: elsewhere there may be millions.
 */
export function badStringFailure(args: Record<string, unknown>, root: JsonSchema): Failure | undefined {
  const search = (value: unknown, schema: JsonSchema, path: readonly (string | number)[]): Failure | undefined => {
    if (typeof value === 'string') {
      const problem = badString(value);
      return problem === undefined ? undefined : invalid(path, `${fieldPath(path)} ${problem}`);
    }
    let entries: Iterable<[string | number, unknown]> = [];
    if (Array.isArray(value) && schema.type === 'array') entries = value.entries();
    if (isObject(value) && schema.type === 'object') entries = Object.entries(value);
    for (const [key, item] of entries) {
      if (path.length === 0 && PATH_FIELDS.has(String(key))) continue;
      const problem = typeof key === 'string' ? badKey(key) : undefined;
      const failure =
        problem === undefined ? search(item, schemaAt(schema, [key]), [...path, key]) : invalid(path, problem);
      if (failure !== undefined) return failure;
    }
    return undefined;
  };
  return search(args, root, []);
}

/** zod passes over `__proto__` in a map without a word. */
function badKey(key: string): string | undefined {
  const problem = key === '__proto__' ? 'is not a name that can be used' : badString(key);
  return problem && `the key ${quote(key, 80)} ${problem}`;
}

/** What is wrong with arguments that a schema refused: the field, what arrived, and what is valid. */
export function misfit(issues: readonly z.core.$ZodIssue[], args: unknown, schema: JsonSchema): Failure {
  const [issue] = issues;
  if (issue === undefined) return invalid([], 'the arguments do not fit the tool');
  const { path } = issue;
  const arrived = valueAt(args, path);
  if (issue.code === 'unrecognized_keys') return unknownKey(issue.keys, path, schemaAt(schema, path));
  const valid = `valid is ${describeSchema(schemaAt(schema, path))}`;
  if (arrived === undefined) return invalid(path, `${fieldPath(path)} is missing; ${valid}`);
  return invalid(path, `${fieldPath(path)} is ${describeValue(arrived)}; ${valid}`);
}

/** A key that a schema does not know, and the one that may be meant. */
export function unknownKey(keys: readonly string[], path: readonly PropertyKey[], schema: JsonSchema): Failure {
  const valid = Object.keys(schema.properties ?? {});
  const unknown = keys[0] ?? '';
  const near = nearest(unknown, valid);
  const where = path.length === 0 ? '' : ` in ${fieldPath(path)}`;
  const offer = near === undefined ? '' : ` (nearest: ${near})`;
  const choice = valid.length === 0 ? 'the tool takes no arguments' : `valid keys: ${valid.join(', ')}`;
  return {
    code: 'MCP_INVALID_ARGUMENT',
    message: `unknown key ${quote(unknown, 80)}${where}${offer}; ${choice}`,
    hint: near === undefined ? `Leave out ${quote(unknown, 80)}.` : `Did you mean ${near}? Call again with that key.`,
  };
}

/** The failure of the argument at a path. */
export function invalid(path: readonly PropertyKey[], message: string): Failure {
  const hint =
    path.length === 0 ? 'Correct the arguments and call again.' : `Correct ${fieldPath(path)} and call again.`;
  return { code: 'MCP_INVALID_ARGUMENT', message, hint };
}

/** `budget.timeout_ms`, `targets[3]`; a key that is no plain name stands quoted. */
export function fieldPath(path: readonly PropertyKey[]): string {
  const parts = path.map((key) => {
    if (typeof key === 'number') return `[${key}]`;
    return /^[\w.]{1,80}$/.test(String(key)) ? `.${String(key)}` : `[${quote(String(key), 80)}]`;
  });
  return clip(parts.join('').replace(/^\./, ''));
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = args;
  for (const key of path) {
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isObject(at) && Object.hasOwn(at, key) ? at[String(key)] : undefined;
  }
  return at;
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return quote(value, 80);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`;
  return isObject(value) ? 'an object' : String(value);
}

/** The valid key that takes the fewest edits, where those are few for its length. */
function nearest(unknown: string, valid: readonly string[]): string | undefined {
  const word = unknown.slice(0, 64).toLowerCase();
  const ranked = valid
    .map((key) => ({ key, cost: key.includes(word) && word.length > 2 ? 1 : editDistance(word, key) }))
    .sort((a, b) => a.cost - b.cost);
  const [best] = ranked;
  return best !== undefined && best.cost <= Math.max(2, Math.floor(best.key.length / 2)) ? best.key : undefined;
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, char] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const substitute = (row[j] ?? 0) + (char === b[j] ? 0 : 1);
      next.push(Math.min(substitute, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
