import { copyFileSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { codes, emptyFiles, entries, jsonlEngine } from '../helpers/batches.js';
import { call, connect, engineFound } from '../helpers/clients.js';
import { askEngineBatch, CRASH, playedEngine } from '../helpers/engines.js';
import { canLink, fixture, isWine, temporaryFolder } from '../helpers/files.js';
import { slowly } from '../helpers/waiting.js';

describe('probe_batch', () => {
  it("answers each path in its place with the engine's own JSON", async () => {
    const folder = temporaryFolder();
    const documents = readdirSync(fixture('.')).map((name) => fixture(name));
    const gone = path.join(folder, 'gone.pdf');
    const directory = path.join(fixture('.'));
    const paths = [gone, ...documents, directory, fixture('deck.pptx'), '', fixture('deck.pptx'), gone];
    const { client } = await connect();
    const answer = await call(client, 'probe_batch', { paths });
    expect(answer.isError).toBe(false);
    expect(JSON.parse(answer.text)).toEqual(answer.value);
    const own = askEngineBatch(
      ['--view=values'],
      paths.map((each) => ({ path: each === '' ? gone : each })),
    );
    const ours: Record<string, string> = { [gone]: 'MCP_PATH_NOT_FOUND', '': 'MCP_INVALID_ARGUMENT' };
    expect(entries(answer).map((entry) => entry.path)).toEqual(paths);
    for (const [index, entry] of entries(answer).entries()) {
      const code = ours[entry.path];
      if (code === undefined) expect(entry.report, entry.path).toEqual(own[index]);
      else
        expect(entry.report, entry.path).toMatchObject({
          status: 'error',
          error: { code },
          input: { path: entry.path },
        });
      expect(entry.hint !== undefined, entry.path).toBe(entry.report.status === 'error');
    }
  });

  it('runs one process, with the options of all, values by default', async () => {
    const fake = jsonlEngine('');
    const { client } = await connect({ bin: fake.bin });
    await call(client, 'probe_batch', {
      paths: emptyFiles('a.pdf', 'b.pdf', 'c.pdf'),
      targets: ['@all', '-x'],
      level: 'deep',
      min_confidence: 'low',
      budget: { timeout_ms: 9 },
    });
    await call(client, 'probe_batch', { paths: emptyFiles('a.pdf'), view: 'report' });
    expect(fake.starts().map(({ args }) => args)).toEqual([
      '--version',
      '--jsonl --targets=@all --targets=-x --probe-level=deep --minimum-confidence=low --view=values --timeout-ms=9',
      '--jsonl',
    ]);
  });

  it('starts no process when every path is refused, which is a normal result', async () => {
    const fake = jsonlEngine('');
    const { client } = await connect({ bin: fake.bin });
    const answer = await call(client, 'probe_batch', { paths: ['/gone/a.pdf', '/gone/b.pdf'] });
    expect(answer.isError).toBe(false);
    expect(codes(answer)).toEqual(['MCP_PATH_NOT_FOUND', 'MCP_PATH_NOT_FOUND']);
    expect(fake.starts()).toEqual([]);
  });

  it.runIf(canLink)('reads under roots what was checked, and shows the name that was asked for', async () => {
    const root = temporaryFolder();
    copyFileSync(fixture('deck.pptx'), path.join(root, 'blob'));
    symlinkSync('blob', path.join(root, 'Deck.pptx'));
    const paths = [path.join(root, 'Deck.pptx'), fixture('deck.pptx'), path.join(root, 'blob')];
    const { client } = await connect({ roots: [root] });
    const answer = await call(client, 'probe_batch', { paths });
    expect(codes(answer)).toEqual(['ok', 'MCP_PATH_NOT_ALLOWED', 'UNSUPPORTED_FORMAT']);
    expect(entries(answer)[0]?.report.input).toMatchObject({ display_name: 'Deck.pptx' });
    expect(entries(answer)[2]?.report.input).toEqual({ path: paths[2] });
  });

  it.each([
    ['crashes', 'crash()', CRASH],
    ['exits early', 'process.exit(0)', /exit status 0 before it answered for this file/],
    ['talks nonsense', `print('nonsense')`, /not a report/],
    ['panics', `complain('boom'), process.exit(101)`, /exit status 101; stderr: boom/],
  ])('a record at which the engine %s costs its own entry', async (_, reaction, message) => {
    const fake = jsonlEngine(`if (record.includes('bad')) ${reaction};`);
    const { client } = await connect({ bin: fake.bin });
    const paths = emptyFiles('a.pdf', 'bad1.pdf', 'b.pdf', 'bad2.pdf', 'bad3.pdf', 'c.pdf');
    const answer = await call(client, 'probe_batch', { paths });
    const bad = 'MCP_ENGINE_FAILURE';
    expect(codes(answer)).toEqual(['ok', bad, 'ok', bad, bad, 'ok']);
    expect(answer.isError).toBe(false);
    expect(entries(answer)[1]?.report.error?.message).toMatch(message);
    // The version, and a process more for each that was lost.
    expect(fake.starts()).toHaveLength(1 + 1 + 3);
  });

  it('a crash at the last record starts no process for nothing', async () => {
    const fake = jsonlEngine(`if (record.includes('bad')) crash();`);
    const { client } = await connect({ bin: fake.bin });
    expect(codes(await call(client, 'probe_batch', { paths: emptyFiles('a.pdf', 'bad.pdf') }))).toEqual([
      'ok',
      'MCP_ENGINE_FAILURE',
    ]);
    expect(fake.starts()).toHaveLength(2);
  });

  it('keeps at the deadline what is finished', async () => {
    const fake = jsonlEngine(`if (record.includes('slow')) hang();`);
    const session = await connect({ bin: fake.bin, timeoutMs: slowly(2000) });
    await engineFound(session);
    const paths = emptyFiles('a.pdf', 'b.pdf', 'slow.pdf', 'c.pdf');
    const answer = await call(session.client, 'probe_batch', { paths });
    expect(answer.isError).toBe(false);
    expect(codes(answer)).toEqual(['ok', 'ok', 'MCP_TIMEOUT', 'MCP_TIMEOUT']);
    expect(entries(answer)[2]?.hint).toContain('without the first file that timed out');
  });

  it('is an error as a whole only when nothing could run', async () => {
    const paths = ['/gone.pdf', ...emptyFiles('a.pdf', 'b.pdf')];
    const hanging = await connect({ bin: playedEngine('hang()').bin, timeoutMs: 1500 });
    const late = await call(hanging.client, 'probe_batch', { paths });
    expect([late.isError, late.code]).toEqual([true, 'MCP_TIMEOUT']);
    expect(late.value).not.toHaveProperty('reports');
    const none = await connect({ bin: path.join(temporaryFolder(), 'deckprobe.exe') });
    const missing = await call(none.client, 'probe_batch', { paths });
    expect([missing.isError, missing.code]).toEqual([true, 'MCP_ENGINE_NOT_FOUND']);
    const refused = await call(none.client, 'probe_batch', { paths: ['/gone.pdf'] });
    expect([refused.isError, codes(refused)]).toEqual([false, ['MCP_PATH_NOT_FOUND']]);
    // Wine hands on a command line of any length.
    if (isWine) return;
    const long = await connect();
    const targets = Array.from({ length: 100 }, () => 'x'.repeat(32_000));
    const unstartable = await call(long.client, 'probe_batch', { paths, targets });
    expect([unstartable.isError, unstartable.code]).toEqual([true, 'MCP_INVALID_ARGUMENT']);
  });

  it('takes as many paths as configured, and advertises that', async () => {
    const { client } = await connect({ maxBatch: 3 });
    const { tools } = await client.listTools();
    const schema = tools.find(({ name }) => name === 'probe_batch')?.inputSchema;
    expect(schema).toMatchObject({ properties: { paths: { minItems: 1, maxItems: 3 } } });
    const paths = Array.from({ length: 5 }, () => fixture('deck.pptx'));
    const { code, value, hint } = await call(client, 'probe_batch', { paths });
    expect(code).toBe('MCP_BATCH_TOO_LARGE');
    expect(JSON.stringify(value)).toContain('holds 5 entries; at most 3 fit');
    expect(hint).toContain('Split the list');
    expect((await call(client, 'probe_batch', { paths: paths.slice(2) })).isError).toBe(false);
    expect((await call(client, 'probe_batch', { paths: [] })).code).toBe('MCP_INVALID_ARGUMENT');
    expect((await call(client, 'probe_batch', {})).code).toBe('MCP_INVALID_ARGUMENT');
  });
});
