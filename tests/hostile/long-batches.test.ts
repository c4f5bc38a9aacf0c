import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, connect, type ToolAnswer } from '../helpers/clients.js';
import { type Json, playedEngine, TINY_REPORT } from '../helpers/engines.js';
import { temporaryFolder, writeFile } from '../helpers/files.js';

interface Entry {
  path: string;
  report: { status: string; tool_version: string; error?: { code: string; message: string; exit_code: number } };
  hint?: string;
}

const CEILING = 1000;
/** As long as an argument may be. */
const LONGEST = 32_767;

/** What a client really receives, without the message around it. */
function sizeOf(answer: ToolAnswer): number {
  const content = [{ type: 'text', text: answer.text }];
  return Buffer.byteLength(JSON.stringify({ content, structuredContent: answer.value }));
}

/** Whether `shown` is a path as it was written, or a beginning of it that is marked as cut. */
function isClipOf(shown: string, requested: string): boolean {
  return shown === requested || (shown.endsWith('…') && requested.startsWith(shown.replace(/[\uFFFD…]+$/, '')));
}

/** Holds an answer to the promises: an entry a path, in order, within the limit, and a normal result. */
function entriesOf(answer: ToolAnswer, paths: readonly string[]): Entry[] {
  expect([answer.isError, answer.code]).toEqual([false, undefined]);
  expect(sizeOf(answer)).toBeLessThanOrEqual(1_000_000);
  expect(JSON.parse(answer.text)).toEqual(answer.value);
  const entries = answer.value.reports as Entry[];
  expect(entries).toHaveLength(paths.length);
  const strangers = entries.filter((entry, index) => !isClipOf(entry.path, paths[index] ?? ''));
  expect(strangers).toEqual([]);
  return entries;
}

function numbered(count: number, part: string, length: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const beginning = `/gone/${index}/`;
    return beginning + part.repeat(Math.floor((length - beginning.length) / part.length));
  });
}

/** What a batch may take here: how fast the machine is does not matter. Milliseconds. */
const PATIENCE = 240_000;

describe('a batch of many or long paths', { timeout: PATIENCE }, () => {
  it.each([
    ['a thousand of 100 characters', numbered(CEILING, 'x', 100), 'MCP_PATH_NOT_FOUND'],
    ['a thousand of 400 two-byte characters', numbered(CEILING, 'é/', 400), 'MCP_PATH_NOT_FOUND'],
    ['a thousand of 2,000 quotes', numbered(CEILING, '"/', 2000), 'MCP_PATH_NOT_FOUND'],
    ['a thousand of 2,000 backslashes', numbered(CEILING, '\\\\/', 2000), 'MCP_PATH_NOT_FOUND'],
    ['a thousand of 2,000 control characters', numbered(CEILING, '\u0001/', 2000), 'MCP_PATH_NOT_FOUND'],
    ['a thousand of 1,000 four-byte characters', numbered(CEILING, '😀/', 1000), 'MCP_PATH_NOT_FOUND'],
    ['a thousand of half a surrogate pair', numbered(CEILING, '\ud800', 1000), 'MCP_INVALID_ARGUMENT'],
    ['64 of 1,300 three-byte characters', numbered(64, '漢字/', 1300), 'MCP_PATH_NOT_FOUND'],
    ['a thousand that are too long', numbered(CEILING, 'x', LONGEST + 20), 'MCP_INVALID_ARGUMENT'],
  ])('%s: each keeps its entry, and its code', async (_, paths, code) => {
    const { client } = await connect({ maxBatch: CEILING, timeoutMs: PATIENCE });
    const answer = await call(client, 'probe_batch', { paths });
    const entries = entriesOf(answer, paths);
    expect(new Set(entries.map(({ report }) => report.error?.code))).toEqual(new Set([code]));
    for (const { report } of entries) expect(report.error?.message).not.toBe('');
    // The room is used: what fits whole is whole.
    expect(entries[0]?.hint).toBeTruthy();
    expect(sizeOf(answer)).toBeGreaterThan(200_000);
  });

  it.each([
    ['64 of 4,000 three-byte characters', numbered(64, '漢', 4000)],
    ['a thousand of 4,000 three-byte characters', numbered(CEILING, '漢', 4000)],
    ['a thousand of 32,767 characters', numbered(CEILING, 'x', LONGEST)],
  ])('%s, which only the engine can judge: each keeps its entry', async (_, paths) => {
    const { client } = await connect({ maxBatch: CEILING, timeoutMs: PATIENCE });
    const entries = entriesOf(await call(client, 'probe_batch', { paths }), paths);
    // For Windows a name of more than 255 characters is missing, where the path is not too long to be asked for.
    const expected = process.platform === 'win32' ? ['SOURCE_IO', 'MCP_PATH_NOT_FOUND'] : ['SOURCE_IO'];
    const others = entries.filter(({ report }) => !expected.includes(report.error?.code ?? ''));
    expect(others).toEqual([]);
  });

  it('roots refuse a thousand long ones, each by its own entry', async () => {
    const paths = numbered(CEILING, '漢', 3000);
    const { client } = await connect({ maxBatch: CEILING, timeoutMs: PATIENCE, roots: [temporaryFolder()] });
    const entries = entriesOf(await call(client, 'probe_batch', { paths }), paths);
    expect(new Set(entries.map(({ report }) => report.error?.code))).toEqual(new Set(['MCP_PATH_NOT_ALLOWED']));
  });

  it('reports that no longer fit become MCP_OUTPUT_LIMIT, refusals among them keep their code', async () => {
    const folder = temporaryFolder();
    const report = { ...JSON.parse(TINY_REPORT), values: { title: '"'.repeat(2000) } };
    const file = writeFile(path.join(folder, 'report.json'), JSON.stringify(report));
    const found = writeFile(path.join(folder, 'a.pdf'), '');
    const fake = playedEngine(
      `const report = fs.readFileSync(${JSON.stringify(file)}, 'utf8'); for (const _ of records()) print(report);`,
    );
    const { client } = await connect({ bin: fake.bin, maxBatch: CEILING, timeoutMs: PATIENCE });
    const paths = numbered(CEILING, 'x', 200).map((gone, index) => (index % 2 === 0 ? found : gone));
    const entries = entriesOf(await call(client, 'probe_batch', { paths }), paths);
    const outcomes = entries.map(({ report: { status, error } }) => error?.code ?? status);
    expect(outcomes.filter((outcome) => outcome === 'MCP_PATH_NOT_FOUND')).toHaveLength(CEILING / 2);
    expect(outcomes.filter((outcome) => outcome === 'ok').length).toBeGreaterThan(10);
    expect(outcomes.at(-2)).toBe('MCP_OUTPUT_LIMIT');
    expect(entries.at(-2)?.report.error?.message).toMatch(/takes \d+ bytes/);
  });

  it("an engine's own error keeps its code, and one that could be anything does not break the limit", async () => {
    const folder = temporaryFolder();
    const error = (fields: Json) =>
      JSON.stringify({ schema_version: 2, tool_version: '2.7.0', status: 'error', error: fields });
    const long = 'é"\\'.repeat(3000);
    const known = writeFile(
      path.join(folder, 'known'),
      error({ code: 'MALFORMED_INPUT', message: long, exit_code: 4 }),
    );
    const wild = writeFile(
      path.join(folder, 'wild'),
      error({ code: long, message: { toString: 1 }, exit_code: 1e300 }),
    );
    const paths = ['known.pdf', 'wild.pdf'].map((name) => writeFile(path.join(folder, name), ''));
    const fake = playedEngine(
      `const [known, wild] = ${JSON.stringify([known, wild])}.map((file) => fs.readFileSync(file, 'utf8'));
      for (const record of records()) print(record.includes('known') ? known : wild);`,
      `print('deckprobe 2.7.0-' + 'x'.repeat(900))`,
    );
    const { client } = await connect({ bin: fake.bin, maxBatch: CEILING, timeoutMs: PATIENCE });
    const many = Array.from({ length: CEILING }, (_, index) => paths[index % 2] ?? '');
    const entries = entriesOf(await call(client, 'probe_batch', { paths: many }), many);
    expect(entries.at(-2)?.report.error).toMatchObject({ code: 'MALFORMED_INPUT', exit_code: 4 });
    expect(entries.at(-1)?.report.error).toMatchObject({ code: 'MCP_OUTPUT_LIMIT', exit_code: 4 });
  });

  it('numbers that are written longer than the engine wrote them are counted as they are sent', async () => {
    const report = { ...JSON.parse(TINY_REPORT), values: 'NUMBERS' };
    const text = JSON.stringify(report).replace(
      '"NUMBERS"',
      `[${Array.from({ length: 2000 }, () => '1e20').join(',')}]`,
    );
    const folder = temporaryFolder();
    const file = writeFile(path.join(folder, 'report.json'), text);
    const fake = playedEngine(
      `const report = fs.readFileSync(${JSON.stringify(file)}, 'utf8'); for (const _ of records()) print(report);`,
    );
    const { client } = await connect({ bin: fake.bin });
    const paths = Array.from({ length: 64 }, () => writeFile(path.join(folder, 'a.pdf'), ''));
    const answer = await call(client, 'probe_batch', { paths });
    const outcomes = entriesOf(answer, paths).map(({ report: { status } }) => status);
    expect(new Set(outcomes)).toEqual(new Set(['ok', 'error']));
  });
});
