import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Failure } from '../errors.js';
import { isObject } from '../json.js';
import { toJsonSchema } from './json-schema.js';
import { badStringFailure, misfit } from './misfit.js';
import { normalizeCall } from './normalize.js';
import { sizeFailure } from './size.js';

/** Arguments that fit their tool, or why they do not. */
export type Parsed<T> = { readonly args: T } | { readonly failure: Failure; readonly path?: string };

/**
 * Wraps a tool's zod schema for the SDK. Validation never fails in the SDK's eyes: a misfit reaches the tool as a
 * {@link Failure} and is answered in our own error grammar. The advertised schema is zod's, less what breaks hosts.
 * @param make makes the schema when it is first needed, which is after the answer to `initialize`.
 */
export function toolInput<T>(make: () => z.ZodType<T>): StandardSchemaWithJSON<unknown, Parsed<T>> {
  const schema = once(make);
  const json = once(() => toJsonSchema(schema(), 'input'));
  const parse = (value: unknown): Parsed<T> => {
    const arrived = value ?? {};
    // Before they are normalized, which walks them, and after, when what came as text is a list.
    const oversized = sizeFailure(arrived, json());
    const args = oversized === undefined ? normalizeCall(arrived, json()) : arrived;
    const requested = isObject(args) && typeof args.path === 'string' ? { path: args.path } : {};
    const bad = oversized ?? sizeFailure(args, json()) ?? (isObject(args) ? badStringFailure(args, json()) : undefined);
    if (bad !== undefined) return { failure: bad, ...requested };
    const result = schema().safeParse(args);
    if (result.success) return { args: result.data };
    return { failure: misfit(result.error.issues, args, json()), ...requested };
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'deckprobe-mcp',
      validate: (value) => ({ value: parse(value) }),
      jsonSchema: { input: json, output: json },
    },
  };
}

/** Wraps an output schema that documents answers and never rejects one. */
export function toolOutput(make: () => z.ZodType): StandardSchemaWithJSON {
  const json = once(() => toJsonSchema(make(), 'output'));
  return {
    '~standard': {
      version: 1,
      vendor: 'deckprobe-mcp',
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
