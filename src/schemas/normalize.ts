import { isObject, parseJson } from '../json.js';
import type { JsonSchema } from './json-schema.js';

/** Cline 3.0 adds it to the arguments of every call. */
const ADDED_BY_HOSTS = 'task_progress';

/** A tool's arguments as hosts and models really send them, in the form that its schema judges. */
export function normalizeCall(value: unknown, schema: JsonSchema): unknown {
  if (!isObject(value) || !Object.hasOwn(value, ADDED_BY_HOSTS)) return normalizeArguments(value, schema);
  const { [ADDED_BY_HOSTS]: _, ...args } = value;
  return normalizeArguments(args, schema);
}

/**
 * An array or object may come as its JSON text, a lone string where an array of strings is due, a whole number as its
 * digits; null, and what models write for it, leaves an optional field out. Anything else is left for the schema to judge.
 */
function normalizeArguments(value: unknown, schema: JsonSchema): unknown {
  const decoded = decode(value, schema);
  if (!isObject(decoded) || schema.properties === undefined) return decoded;
  const entries = Object.entries(decoded).flatMap(([key, item]): [string, unknown][] => {
    const property = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined;
    if (property === undefined) return [[key, item]];
    if (isAbsent(item, property) && !schema.required?.includes(key)) return [];
    return [[key, normalizeArguments(item, property)]];
  });
  return Object.fromEntries(entries);
}

/** Whether a value stands for none: null, "null" where no string is due, and "" for a choice, a list or a map. */
function isAbsent(value: unknown, { type, enum: choices }: JsonSchema): boolean {
  if (value === null) return true;
  const isStructured = choices !== undefined || type === 'array' || type === 'object';
  return (value === '' && isStructured) || (value === 'null' && (isStructured || type === 'integer'));
}

function decode(value: unknown, { type, items }: JsonSchema): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer') return /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (type !== 'array' && type !== 'object') return value;
  const parsed = parseJson(value);
  if (type === 'object') return isObject(parsed) ? parsed : value;
  if (Array.isArray(parsed)) return parsed;
  return items?.type === 'string' ? [value] : value;
}
