import * as z from 'zod';
import { isObject } from '../json.js';

/** The part of JSON Schema that the tools' inputs use. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

/** What zod emits for a schema, less what says nothing and the `$schema` that some hosts refuse. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema & Record<string, unknown> {
  const { $schema: _, ...emitted } = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => prune(jsonSchema) });
  return { properties: {}, ...emitted } as JsonSchema & Record<string, unknown>;
}

/** An open object needs no `additionalProperties: {}`, and one without named properties no `properties: {}`. */
function prune(schema: z.core.JSONSchema.BaseSchema): void {
  const { properties, additionalProperties } = schema;
  if (isObject(properties) && Object.keys(properties).length === 0) delete schema.properties;
  if (isObject(additionalProperties) && Object.keys(additionalProperties).length === 0)
    delete schema.additionalProperties;
}

/** What a schema accepts, in words for a message. */
export function describeSchema(schema: JsonSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'integer':
      return `a whole number from ${schema.minimum} to ${schema.maximum}`;
    case 'array':
      return `an array of ${schema.minItems === undefined ? '' : `at least ${schema.minItems} `}strings`;
    case 'object':
      return schema.properties === undefined || Object.keys(schema.properties).length === 0
        ? `an object from name to ${describeSchema(schemaAt(schema, ['']))}`
        : `an object with ${Object.keys(schema.properties).join(', ')}`;
    default:
      return `a ${schema.type}`;
  }
}

/** The schema of the value at a path inside what `schema` describes. */
export function schemaAt(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema {
  let at = schema;
  for (const key of path) {
    const extra = typeof at.additionalProperties === 'object' ? at.additionalProperties : {};
    const property = Object.hasOwn(at.properties ?? {}, key) ? at.properties?.[String(key)] : undefined;
    at = typeof key === 'number' ? (at.items ?? {}) : (property ?? extra);
  }
  return at;
}
