import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialize, sendCall, startBin } from '../helpers/bin.js';
import { call, connect } from '../helpers/clients.js';
import { askEngine, type Json, playedEngine } from '../helpers/engines.js';
import { fixture, temporaryFolder } from '../helpers/files.js';
import { HOSTILE_STRINGS } from '../helpers/hostile-strings.js';

const DECK = fixture('deck.pptx');

/** For Windows a path that is too long to be one is missing. */
const TOO_DEEP = process.platform === 'win32' ? 'MCP_PATH_NOT_FOUND' : 'SOURCE_IO';

/** A value as a test's name can show it. */
function short(value: string): string {
  return JSON.stringify(value).slice(0, 40);
}

describe('single values', () => {
  it.each(
    [
      ['-', 'MCP_PATH_NOT_FOUND'],
      ['formats', 'MCP_PATH_NOT_FOUND'],
      ['--help', 'MCP_PATH_NOT_FOUND'],
      ['--strict', 'MCP_PATH_NOT_FOUND'],
      ['', 'MCP_INVALID_ARGUMENT'],
      ['https://example.org/a.pdf', 'MCP_PATH_NOT_FOUND'],
      ['a\0b', 'MCP_INVALID_ARGUMENT'],
      ['\ud800.pdf', 'MCP_INVALID_ARGUMENT'],
      [`/${'d/'.repeat(2500)}a.pdf`, TOO_DEEP],
      [`/${'x'.repeat(40_000)}`, 'MCP_INVALID_ARGUMENT'],
      ['x'.repeat(200_000), 'MCP_INVALID_ARGUMENT'],
    ].map(([requested = '', code]) => [short(requested), code, requested] as const),
  )('the path %s gives %s', async (_, code, requested) => {
    const { client } = await connect();
    const single = await call(client, 'probe', { path: requested });
    expect([single.isError, single.code]).toEqual([true, code]);
    const batch = await call(client, 'probe_batch', { paths: [requested, DECK] });
    const [first, second] = batch.value.reports as { report: { status: string; error?: Json } }[];
    expect([first?.report.error?.code, second?.report.status]).toEqual([code, 'ok']);
  });

  it.each(HOSTILE_STRINGS.map((value) => [short(value), value]))(
    'the target %s reaches the engine whole or not at all',
    async (_, value) => {
      const file = path.join(temporaryFolder(), 'arguments');
      const fake = playedEngine(
        `fs.writeFileSync(${JSON.stringify(file)}, args.map((arg) => arg + '\\0').join('')); process.exit(9);`,
      );
      const { client } = await connect({ bin: fake.bin });
      const { code } = await call(client, 'probe', { path: DECK, targets: ['@header', value] });
      if (code === 'MCP_INVALID_ARGUMENT') return expect(fake.starts()).toEqual([]);
      expect(code).toBe('MCP_ENGINE_FAILURE');
      expect(readFileSync(file, 'utf8').split('\0')).toEqual([
        '--targets=@header',
        `--targets=${value}`,
        '--',
        DECK,
        '',
      ]);
    },
  );

  it('a value that looks like a flag is answered as a value by the engine', async () => {
    const { client } = await connect();
    for (const value of ['--strict', '-t', '--help', '-', '--'])
      expect((await call(client, 'probe', { path: DECK, targets: [value] })).code, value).toBe('UNSUPPORTED_TARGET');
    for (const format of ['--help', '-', 'formats'])
      expect((await call(client, 'list_targets', { format })).code).toBe('UNSUPPORTED_FORMAT');
    const comma = await call(client, 'probe', { path: DECK, targets: ['document.title,slide_count'], view: 'values' });
    expect(comma.value).toEqual(askEngine(['--targets=document.title,slide_count', '--view=values', '--', DECK]).value);
  });

  it.each([
    ['max_physical_bytes', 1_073_741_824],
    ['max_expanded_bytes', 536_870_912],
    ['max_archive_entries', 1_000_000],
    ['timeout_ms', 600_000],
  ])('budget.%s takes 1 to %i', async (field, ceiling) => {
    const { client } = await connect({ bin: playedEngine('print(REPORT)').bin });
    const probe = async (limit: unknown) =>
      (await call(client, 'probe', { path: DECK, budget: { [field]: limit } })).code;
    for (const good of [1, ceiling]) expect(await probe(good)).toBeUndefined();
    // Digits in quotes are taken for the number that they are.
    for (const good of ['1', String(ceiling)]) expect(await probe(good)).toBeUndefined();
    for (const bad of [0, -1, ceiling + 1, 1e300, 2 ** 53, 0.5, '0', String(ceiling + 1), '1.0', true, [1], {}])
      expect(await probe(bad), String(bad)).toBe('MCP_INVALID_ARGUMENT');
  });

  it('what is echoed is clipped and well-formed', async () => {
    const { client } = await connect();
    const long = `${'😀'.repeat(400)}.pdf`;
    for (const args of [
      { path: long },
      { path: 'x\ud83d' },
      { path: DECK, [long]: 1 },
      { path: DECK, level: long },
      { path: 'x'.repeat(200_000) },
    ]) {
      const { text, value } = await call(client, 'probe', args);
      expect(Buffer.from(text).toString()).toBe(text);
      expect(text).not.toMatch(/\\ud[89a-f]/i);
      const input = value.input as { path: string } | undefined;
      expect(input?.path.length ?? 0).toBeLessThanOrEqual(512);
      expect(text.length).toBeLessThan(4000);
    }
  });
});

describe('arguments that are no object, or a deep one', () => {
  it.each([
    ['an array', []],
    ['a text', 'path'],
    ['a number', 7],
  ])('%s in place of an object is a protocol error', async (_, args) => {
    const server = startBin();
    await initialize(server);
    sendCall(server, 1, 'probe', args);
    expect(await server.answer(1)).toMatchObject({ error: { code: -32602 } });
  });

  it('nesting as deep as a message can be does not end the server', async () => {
    const server = startBin();
    await initialize(server);
    for (const [index, depth] of [100, 10_000, 1_000_000].entries()) {
      const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const id = index + 1;
      server.child.stdin.write(
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"probe","arguments":{"path":"/x","targets":${deep}}}}\n`,
      );
      sendCall(server, 100 + id, 'probe', { path: DECK });
      expect(await server.answer(100 + id)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
    }
    expect(server.messages.find(({ id }) => id === 1)).toMatchObject({ result: { isError: true } });
  });
});
