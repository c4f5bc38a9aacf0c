import type { Failure } from '../errors.js';
import { isObject, measureJson } from '../json.js';
import { describeSchema, type JsonSchema } from './json-schema.js';
import { fieldPath, invalid, unknownKey } from './misfit.js';

/** The most keys of an object whose keys are all named: one with more has unknown ones. */
const MAX_KEYS = 100;
/** JSON texts up to this length are parsed before they are judged, UTF-16 units. */
const SHORT_TEXT = 65_536;

/**
 * What is too many among arguments: entries of a list, keys of an object, values in the JSON text of one. To be asked
 * before anything walks the arguments or parses such a text: a message may bring millions, and to walk them took
 * seconds and gigabytes. Looks at lengths only, down to where the schema ends.
 */
export function sizeFailure(value: unknown, schema: JsonSchema, path: readonly string[] = []): Failure | undefined {
  if (typeof value === 'string') return textFailure(value, schema, path);
  if (Array.isArray(value)) return countFailure(value.length, schema.maxItems, path, 'entries');
  if (!isObject(value) || schema.type !== 'object') return undefined;
  const keys = Object.keys(value);
  const { properties } = schema;
  if (properties === undefined) return countFailure(keys.length, schema.maxProperties, path, 'keys');
  if (keys.length > MAX_KEYS) {
    const unknown = keys.find((key) => !Object.hasOwn(properties, key));
    return unknownKey(unknown === undefined ? [] : [unknown], path, schema);
  }
  for (const [key, property] of Object.entries(properties)) {
    const failure = Object.hasOwn(value, key) ? sizeFailure(value[key], property, [...path, key]) : undefined;
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** An array or an object may come as its JSON text. None that fits holds more than strings. */
function textFailure(text: string, schema: JsonSchema, path: readonly string[]): Failure | undefined {
  const { type, maxItems, maxProperties = MAX_KEYS } = schema;
  if ((type !== 'array' && type !== 'object') || text.length <= SHORT_TEXT) return undefined;
  const { depth, commas } = measureJson(text);
  // Without brackets it is a lone string, which may hold commas.
  if (depth === 0) return undefined;
  if (depth === 1) return countFailure(commas + 1, type === 'array' ? maxItems : maxProperties, path, 'values');
  return invalid(path, `${fieldPath(path)} is a text of nested JSON; valid is ${describeSchema(schema)}`);
}

function countFailure(
  count: number,
  most = Number.POSITIVE_INFINITY,
  path: readonly string[],
  unit: string,
): Failure | undefined {
  if (count <= most) return undefined;
  const message = `${fieldPath(path)} holds ${count} ${unit}; at most ${most} fit into one call`;
  if (path[0] !== 'paths')
    return { ...invalid(path, message), hint: 'Name a selector, such as ["@all"], or fewer targets.' };
  return {
    code: 'MCP_BATCH_TOO_LARGE',
    message: `${message} (DECKPROBE_MCP_MAX_BATCH)`,
    hint: `Split the list into calls of at most ${most} paths.`,
  };
}
