import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { MCP_EXIT_CODES } from '../src/errors.js';
import { INSTRUCTIONS } from '../src/instructions.js';
import { connect } from './helpers/clients.js';
import type { Json } from './helpers/engines.js';
import { PROJECT } from './helpers/files.js';

const PIN = path.join(PROJECT, 'tests', 'surface.json');
/** What every known host accepts in an input schema. */
const INPUT_KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'description',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'additionalProperties',
]);
const OUTPUT_BANNED = new Set(['$schema', '$ref', '$defs']);

async function listTools(): Promise<Tool[]> {
  const { client } = await connect();
  return (await client.listTools()).tools;
}

/** Calls `visit` for a schema and every schema inside it. */
function walk(schema: Json, visit: (schema: Json, where: string) => void, where = '$'): void {
  visit(schema, where);
  for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, Json>))
    walk(property, visit, `${where}.${name}`);
  for (const key of ['items', 'additionalProperties'])
    if (typeof schema[key] === 'object') walk(schema[key] as Json, visit, `${where}.${key}`);
}

/** The surface without its wording, which may change freely. */
function withoutWording(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWording);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, item]) => !(key === 'description' && typeof item === 'string'));
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutWording(item)]));
}

describe('the surface', () => {
  it('is the one that is pinned', async () => {
    const { client } = await connect();
    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    const surface = {
      tools: tools.map(({ title: _, ...tool }) => withoutWording(tool)),
      resources: resources.map(({ uri, mimeType }) => ({ uri, mimeType })),
      errors: MCP_EXIT_CODES,
    };
    // A change here changes the contract (docs/stability.md). When it is meant: UPDATE_SURFACE=1 npx vitest run tests/surface.test.ts
    if (process.env.UPDATE_SURFACE) writeFileSync(PIN, `${JSON.stringify(surface, null, 2)}\n`);
    expect(surface).toEqual(JSON.parse(readFileSync(PIN, 'utf8')));
  });

  it('has input schemas that every host accepts', async () => {
    for (const { name, inputSchema } of await listTools()) {
      expect(inputSchema.type, name).toBe('object');
      walk(inputSchema as Json, (schema, where) => {
        for (const keyword of Object.keys(schema)) expect(INPUT_KEYWORDS, `${name} ${where}`).toContain(keyword);
        expect(schema.maximum ?? 0, `${name} ${where}`).toBeLessThan(2 ** 53 - 1);
        if (schema.type === 'object' && schema.properties !== undefined)
          expect(schema.additionalProperties, `${name} ${where}`).toBe(false);
      });
    }
  });

  it('has output schemas that require nothing and can reject no object', async () => {
    for (const { name, outputSchema } of await listTools()) {
      expect(outputSchema?.type, name).toBe('object');
      walk(outputSchema as Json, (schema, where) => {
        for (const keyword of Object.keys(schema)) expect(OUTPUT_BANNED, `${name} ${where}`).not.toContain(keyword);
        expect(schema.required, `${name} ${where}`).toBeUndefined();
        expect(schema.additionalProperties, `${name} ${where}`).not.toBe(false);
      });
    }
  });

  it('has a title, a description and read-only annotations on every tool, and a description on every field', async () => {
    for (const { name, title, description, annotations, inputSchema } of await listTools()) {
      expect(title, name).toBeTruthy();
      expect(description, name).toBeTruthy();
      expect(annotations, name).toEqual({ readOnlyHint: true, openWorldHint: false });
      walk(inputSchema as Json, ({ properties }, where) => {
        for (const [field, { description: text }] of Object.entries((properties ?? {}) as Record<string, Json>))
          expect(text, `${name} ${where}.${field}`).toBeTruthy();
      });
    }
  });

  it('names the allowed folders where a path is asked for, at most as many as fit', async () => {
    const pathOf = async (roots?: string[]) => {
      const { client } = await connect(roots ? { roots } : {});
      const { tools } = await client.listTools();
      const { path: field } = (tools[0]?.inputSchema.properties ?? {}) as { path?: { description?: string } };
      return { description: field?.description ?? '', bytes: Buffer.byteLength(JSON.stringify({ tools })) };
    };
    const free = await pathOf();
    expect(free.description).not.toContain('Only inside');
    expect((await pathOf(['/home/ada/in', '/srv/"b"'])).description).toBe(
      `${free.description} Only inside "/home/ada/in", "/srv/\\"b\\"".`,
    );
    for (const length of [10, 50, 500]) {
      const roots = Array.from({ length: 40 }, (_, index) => `/${'é'.repeat(length)}/${index}`);
      const { description, bytes } = await pathOf(roots);
      const added = description.slice(free.description.length);
      expect(Buffer.byteLength(added)).toBeLessThanOrEqual(300);
      expect(added).toMatch(/^ Only inside ("\/é+\/0".* and \d+ more|40 folders that the operator has set)/);
      expect(bytes).toBeLessThan(7500);
    }
  });

  it('stays within its byte budgets', async () => {
    const tools = await listTools();
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(7500);
    for (const { name, description = '' } of tools) expect(Buffer.byteLength(description), name).toBeLessThan(2000);
    expect(Buffer.byteLength(INSTRUCTIONS)).toBeLessThan(2000);
  });
});
