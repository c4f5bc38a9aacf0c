import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from './helpers/engines.js';
import { fixture, MAIN, PROJECT, temporaryFolder } from './helpers/files.js';

interface Cell {
  readonly text: string;
  readonly good: boolean;
  readonly note?: string;
}

interface Run {
  readonly revision: string;
  readonly hands: 'result' | 'model';
  readonly title?: string;
  readonly twice?: string;
  readonly impatient?: { readonly revision: string; readonly note: string };
}

interface TableModule {
  readonly CLIENTS: readonly { title: string; install: Record<string, string>; runs: readonly Run[] }[];
  readonly CONFORMANCE: { title: string; install: Record<string, string>; runs: readonly [{ scenarios: string[] }] };
}

interface RecordModule {
  readRecord(folder: string): SessionRecord;
}

interface SessionRecord {
  readonly connected: boolean;
  readonly revisions: readonly string[];
  readonly hint: string | undefined;
}

interface JudgeModule {
  judge(run: Run, seen: Json | undefined, record: SessionRecord): Record<string, Cell>;
}

const FOLDER = path.join(PROJECT, 'tests', 'scripts', 'clients');
// By a computed name: the scripts have no types.
const load = async <T>(name: string): Promise<T> => await import(pathToFileURL(path.join(FOLDER, name)).href);

describe('what stands between a client and the server', () => {
  it.each([
    ['2025-11-25', 'legacy'],
    ['2026-07-28', { pin: '2026-07-28' }],
  ] as const)('sees the revision %s and the hint, and changes nothing', async (revision, mode) => {
    const folder = temporaryFolder();
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const args = [path.join(FOLDER, 'tee.mjs'), folder, MAIN];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    onTestFinished(() => client.close());
    const good = await client.callTool({ name: 'probe', arguments: { path: fixture('deck.pptx') } });
    expect(good.structuredContent).toMatchObject({ results: { 'powerpoint.slide_count': { value: 3 } } });
    const bad = await client.callTool({ name: 'probe', arguments: { path: path.join(folder, 'missing.pptx') } });
    const [block] = bad.content;

    const { readRecord } = await load<RecordModule>('record.mjs');
    const { hint, ...record } = readRecord(folder);
    expect(record).toMatchObject({ connected: true, revisions: [revision], broken: [] });
    expect(hint).toMatch(/\w/);
    expect(block?.type === 'text' && block.text.endsWith(`\nHint: ${hint}`)).toBe(true);
  });
});

describe('the cells of a client', () => {
  let judge: JudgeModule['judge'];
  beforeAll(async () => {
    ({ judge } = await load<JudgeModule>('judge.mjs'));
  });

  const run: Run = { revision: '2025-11-25', hands: 'model' };
  const record: SessionRecord = { connected: true, revisions: ['2025-11-25'], hint: 'Check the "path".' };
  const answer = { values: { 'powerpoint.slide_count': 3 } };
  const seen = {
    tools: ['probe', 'probe_batch', 'list_formats', 'list_targets'],
    answer: [{ type: 'text', text: JSON.stringify(answer, null, 2) }],
    error: JSON.stringify({ error: { code: 'MCP_PATH_NOT_FOUND' }, hint: 'Check the "path".' }),
  };
  const bad = (cells: Record<string, Cell>) => Object.keys(cells).filter((column) => !cells[column]?.good);

  it('are good where all arrived, however often it was quoted', () => {
    const cells = judge(run, seen, record);
    expect(bad(cells)).toEqual([]);
    expect(Object.values(cells).map(({ text }) => text)).toEqual([
      'yes',
      '2025-11-25',
      '4',
      'yes',
      'yes',
      'yes',
      'once',
    ]);
  });

  it.each<[string, Json, Partial<SessionRecord>, string[]]>([
    ['nobody connected', {}, { connected: false }, ['connected']],
    ['another revision was spoken', {}, { revisions: ['2024-11-05'] }, ['revision']],
    ['two revisions were spoken', {}, { revisions: ['2024-11-05', '2025-11-25'] }, ['revision']],
    ['a tool is missing', { tools: ['probe', 'probe_batch', 'list_formats'] }, {}, ['tools']],
    ['the number is another', { answer: '{"powerpoint.slide_count":30}' }, {}, ['answer', 'given']],
    ['the answer came twice', { answer: [answer, answer] }, {}, ['given']],
    ['the code is missing', { error: 'Check the "path".' }, {}, ['error']],
    ['the hint is missing', { error: '{"code":"MCP_PATH_NOT_FOUND"}' }, {}, ['hint']],
    ['the server sent no hint', {}, { hint: undefined }, ['hint']],
  ])('tell that %s', (_what, changes, noted, columns) => {
    expect(bad(judge(run, { ...seen, ...changes }, { ...record, ...noted }))).toEqual(columns);
  });

  it('are all bad but the connection where the driver failed', () => {
    const cells = judge(run, undefined, { ...record, revisions: [] });
    expect(bad(cells)).toEqual(['revision', 'tools', 'answer', 'error', 'hint', 'given']);
  });

  it('pass two copies where the client makes them, with the reason', () => {
    const { given } = judge({ ...run, twice: 'It copies.' }, { ...seen, answer: [answer, answer] }, record);
    expect(given).toEqual({ text: 'twice', good: true, note: 'It copies.' });
  });

  it('take the older revision of a client that does not wait, and of no other', () => {
    const impatient = { revision: '2025-11-25', note: 'It does not wait.' };
    const newer: Run = { ...run, revision: '2026-07-28' };
    expect(bad(judge({ ...newer, impatient }, seen, record))).toEqual([]);
    expect(bad(judge(newer, seen, record))).toEqual(['revision']);
    expect(bad(judge({ ...newer, impatient }, seen, { ...record, revisions: ['2024-11-05'] }))).toEqual(['revision']);
  });

  it.each([
    [JSON.stringify(answer), { text: 'both, equal', good: true }],
    [JSON.stringify(answer, null, 2), { text: 'both, unequal', good: false }],
  ])('compare the copies of a whole result: %s', (text, expected) => {
    const result = { content: [{ type: 'text', text }], structuredContent: answer };
    expect(judge({ ...run, hands: 'result' }, { ...seen, answer: result }, record).given).toEqual(expected);
  });
});

describe('the page about clients', () => {
  it('shows a good row for each client of the table, in the pinned version', async () => {
    const { CLIENTS, CONFORMANCE } = await load<TableModule>('table.mjs');
    const page = readFileSync(path.join(PROJECT, 'docs', 'clients.md'), 'utf8');
    const [, written = ''] = /<!-- clients: .*-->\n([\s\S]*)<!-- \/clients -->/.exec(page) ?? [];
    const rows = written.split('\n').filter((line) => line.startsWith('| '));
    for (const { title, install, runs } of CLIENTS) {
      const [version] = Object.values(install);
      for (const run of runs) {
        const name = title + (run.title ? `, ${run.title}` : '');
        const [, ...cells] = rows.filter((row) => row.startsWith(`| ${name} | `)).flatMap((row) => row.split(' | '));
        const [shown, connected, revision = '', ...others] = cells;
        expect([shown, connected, ...others.slice(0, 4)], name).toEqual([version, 'yes', '4', 'yes', 'yes', 'yes']);
        expect([run.revision, run.impatient?.revision], name).toContain(revision.split(' ')[0]);
      }
    }
    const [version] = Object.values(CONFORMANCE.install);
    for (const scenario of CONFORMANCE.runs[0].scenarios)
      expect(rows).toContain(`| ${CONFORMANCE.title} ${version} | \`${scenario}\` | passed |`);
    for (const { install } of [...CLIENTS, CONFORMANCE])
      for (const version of Object.values(install)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(written).not.toContain('**');
  });
});
