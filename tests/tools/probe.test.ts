import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, connect } from '../helpers/clients.js';
import { askEngine, type Json, playedEngine, TINY_REPORT } from '../helpers/engines.js';
import { fixture, PROJECT, temporaryFolder, writeFile } from '../helpers/files.js';

describe('probe', () => {
  it.each([
    ['deck.pptx', {}],
    ['report.pdf', { targets: ['@all'], level: 'deep', view: 'values' }],
    ['corrupt.pdf', {}],
  ])('answers %s as the committed golden answer says', async (name, options) => {
    const golden = path.join(PROJECT, 'tests', 'golden', `${name}.json`);
    const { client } = await connect();
    const { value, isError, hint } = await call(client, 'probe', { path: fixture(name), ...options });
    const answer = { value, isError, hint };
    // After a deliberate change: UPDATE_GOLDEN=1 npx vitest run tests/tools/probe.test.ts
    if (process.env.UPDATE_GOLDEN) writeFileSync(golden, `${JSON.stringify(answer, null, 2)}\n`);
    expect(answer).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
  });

  it('passes every option on', async () => {
    const { client } = await connect();
    const answer = await call(client, 'probe', {
      path: fixture('letter.docx'),
      targets: ['document.title', 'word.word_count'],
      level: 'deep',
      min_confidence: 'low',
      target_confidence: { 'document.title': 'high' },
      view: 'values',
      budget: {
        max_physical_bytes: 100_000,
        max_expanded_bytes: 100_000,
        max_archive_entries: 100,
        timeout_ms: 60_000,
      },
    });
    const flags = [
      '--targets=document.title',
      '--targets=word.word_count',
      '--probe-level=deep',
      '--minimum-confidence=low',
      '--target-confidence=document.title=high',
      '--view=values',
      '--probe-size=100000',
      '--max-expanded-bytes=100000',
      '--max-archive-entries=100',
      '--timeout-ms=60000',
    ];
    expect(answer.value).toEqual(askEngine([...flags, '--', fixture('letter.docx')]).value);
    expect(answer.isError).toBe(false);
  });

  it('gives the same JSON as text and as structured content, error envelopes with a hint', async () => {
    const { client } = await connect();
    for (const name of ['deck.pptx', 'talk.key', 'corrupt.pdf', 'macros.docm']) {
      const { value, json, hint, isError } = await call(client, 'probe', { path: fixture(name) });
      expect(JSON.parse(json), name).toEqual(value);
      expect(value, name).toEqual(askEngine(['--', fixture(name)]).value);
      expect(isError, name).toBe(value.status === 'error');
      expect(hint !== undefined, name).toBe(isError);
    }
  });

  it('answers its own failures in the same grammar', async () => {
    const { client } = await connect();
    const missing = path.join(temporaryFolder(), 'gone.pdf');
    const { value, isError, hint } = await call(client, 'probe', { path: missing });
    expect(value).toEqual({
      schema_version: 2,
      tool_version: 'unknown',
      status: 'error',
      error: {
        code: 'MCP_PATH_NOT_FOUND',
        message: `there is nothing at ${JSON.stringify(missing)}`,
        exit_code: 2,
      },
      input: { path: missing },
    });
    expect(isError).toBe(true);
    expect(hint).toContain('absolute path');
    await call(client, 'probe', { path: fixture('deck.pptx') });
    expect((await call(client, 'probe', { path: missing })).value.tool_version).toBe('2.7.0');
  });

  it('keeps to the roots', async () => {
    const root = temporaryFolder();
    const { client } = await connect({ roots: [root] });
    const inside = writeFile(path.join(root, 'a b.pdf'), readFileSync(fixture('report.pdf')));
    expect((await call(client, 'probe', { path: inside })).value).toEqual(askEngine(['--', inside]).value);
    const refused = await call(client, 'probe', { path: fixture('deck.pptx') });
    expect(refused.code).toBe('MCP_PATH_NOT_ALLOWED');
    expect(refused.hint).toContain(JSON.stringify(root));
  });

  it.each<[Json, string]>([
    [{}, 'path is missing; valid is a string'],
    [{ path: 1 }, 'path is 1; valid is a string'],
    [{ path: '/a', level: 'quick' }, 'level is "quick"; valid is one of header, metadata, deep'],
    [{ path: '/a', view: true }, 'view is true; valid is one of report, values'],
    [{ path: '/a', targets: 5 }, 'targets is 5; valid is an array of strings'],
    [{ path: '/a', targets: ['a', {}] }, 'targets[1] is an object; valid is a string'],
    [{ path: '/a', budget: { timeout_ms: 0 } }, 'budget.timeout_ms is 0; valid is a whole number from 1 to 600000'],
    [
      { path: '/a', budget: { max_physical_bytes: 1.5 } },
      'budget.max_physical_bytes is 1.5; valid is a whole number from 1 to 1073741824',
    ],
    [{ path: '/a', budget: 7 }, 'budget is 7; valid is an object with max_physical_bytes, '],
    [{ path: '/a', budget: { timeout: 9 } }, 'unknown key "timeout" in budget (nearest: timeout_ms); valid keys: '],
    [{ path: '/a', target: ['x'] }, 'unknown key "target" (nearest: targets); valid keys: path, targets, level, '],
    [{ path: '/a', zzzzzzzzzz: 1 }, 'unknown key "zzzzzzzzzz"; valid keys: path, '],
    [
      { path: '/a', target_confidence: { x: 'sure' } },
      'target_confidence.x is "sure"; valid is one of low, medium, high, exact',
    ],
    [{ path: '/a', targets: ['a\0b'] }, 'targets[0] holds a NUL character'],
    [{ path: '/a', target_confidence: { 'a\0': 'low' } }, 'the key "a\\u0000" holds a NUL character'],
    [{ path: '/a', targets: ['x'.repeat(40_000)] }, 'targets[0] is 40000 characters long; at most 32767 fit'],
  ])('tells what does not fit in %j', async (args, message) => {
    const { client } = await connect();
    const { value, isError, code, hint } = await call(client, 'probe', args);
    expect(isError).toBe(true);
    expect(code).toBe('MCP_INVALID_ARGUMENT');
    expect((value.error as { message: string }).message).toContain(message);
    expect(hint).toBeTruthy();
  });

  it('leaves an unknown tool to the protocol', async () => {
    const { client } = await connect();
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32602 });
  });

  it('tells the deadline as the operator set it', async () => {
    const { client } = await connect({ bin: playedEngine('hang()').bin, timeoutMs: 100 });
    const { code, value } = await call(client, 'probe', { path: fixture('deck.pptx') });
    expect(code).toBe('MCP_TIMEOUT');
    expect(JSON.stringify(value)).toContain('100 ms (DECKPROBE_MCP_TIMEOUT_MS)');
  });

  it('answers with the limit where an answer would be too large for a host', async () => {
    const big = JSON.stringify({ ...JSON.parse(TINY_REPORT), values: { title: '"'.repeat(1_000_000) } });
    const file = writeFile(path.join(temporaryFolder(), 'big.json'), big);
    const { client } = await connect({
      bin: playedEngine(`fs.writeSync(1, fs.readFileSync(${JSON.stringify(file)}))`).bin,
    });
    const { code, value, hint } = await call(client, 'probe', { path: fixture('deck.pptx') });
    expect(code).toBe('MCP_OUTPUT_LIMIT');
    expect(JSON.stringify(value)).toMatch(/takes \d{7} bytes in a tool result; 1000000 fit/);
    expect(hint).toContain('fewer targets');
  });
});
