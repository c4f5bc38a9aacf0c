import { isObject, parseJson } from '../json.js';
import type { JsonSchema } from './json-schema.js';

/**
 * Takes arguments as hosts and models really send them: an array or object as its JSON text, a lone string where an
 * array of strings is due, null for an optional field. Anything else is left for the schema to judge.
 */
export function normalizeArguments(value: unknown, schema: JsonSchema): unknown {
  const decoded = decode(value, schema);
  if (!isObject(decoded) || schema.properties === undefined) return decoded;
  const entries = Object.entries(decoded).flatMap(([key, item]): [string, unknown][] => {
    const property = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined;
    if (property === undefined) return [[key, item]];
    if (item === null && !schema.required?.includes(key)) return [];
    return [[key, normalizeArguments(item, property)]];
  });
  return Object.fromEntries(entries);
}

function decode(value: unknown, { type, items }: JsonSchema): unknown {
  if (typeof value !== 'string' || (type !== 'array' && type !== 'object')) return value;
  const parsed = parseJson(value);
  if (type === 'object') return isObject(parsed) ? parsed : value;
  if (Array.isArray(parsed)) return parsed;
  return items?.type === 'string' ? [value] : value;
}
