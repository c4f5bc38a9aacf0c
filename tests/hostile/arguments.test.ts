import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { MCP_EXIT_CODES } from '../../src/errors.js';
import { initialize, type Server, sendCall, startBin } from '../helpers/bin.js';
import { call, connect } from '../helpers/clients.js';
import { askEngine, fakeEngine, type Json, TINY_REPORT } from '../helpers/engines.js';
import { fixture, temporaryFolder } from '../helpers/files.js';
import { type Random, seeded } from '../helpers/random.js';

const DECK = fixture('deck.pptx');
const ENGINE_CODES = [
  'CLI_SYNTAX',
  'INVALID_REQUEST',
  'UNSUPPORTED_TARGET',
  'SOURCE_IO',
  'UNSUPPORTED_FORMAT',
  'MALFORMED_INPUT',
  'BUDGET_EXCEEDED',
  'PARSER_FAILURE',
];

/** Values that have broken some program or other. */
const HOSTILE_STRINGS = [
  '',
  ' ',
  '-',
  '--',
  '--help',
  '--strict',
  '-t',
  'formats',
  'schema',
  'install',
  'a,b',
  ',',
  '=',
  'a=b=c',
  '@all',
  '@bogus',
  'document.title',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '\u202e\u2066',
  '😀',
  'e\u0301',
  '"\\"',
  '\n\r\t',
  '$(id)',
  '`id`',
  '; rm -rf /',
  '%s%n',
  '../../../etc/passwd',
  '/etc/passwd',
  '~',
  '~root',
  'file:///etc/passwd',
  'file://host/x',
  'file:///%00',
  'https://example.org/a.pdf',
  'C:\\x',
  '\\\\host\\share',
  '__proto__',
  'constructor',
  'x'.repeat(5000),
  'é'.repeat(33_000),
  'x'.repeat(200_000),
  '[',
  '[]',
  '{}',
  '["a"',
  '[1,2]',
  '{"timeout_ms":1}',
  'null',
  DECK,
];

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
      [`/${'d/'.repeat(2500)}a.pdf`, 'SOURCE_IO'],
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
      const fake = fakeEngine(`printf '%s\\0' "$@" > '${file}'; exit 9`);
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
    const { client } = await connect({ bin: fakeEngine(`echo '${TINY_REPORT}'`).bin });
    const probe = async (limit: unknown) =>
      (await call(client, 'probe', { path: DECK, budget: { [field]: limit } })).code;
    for (const good of [1, ceiling]) expect(await probe(good)).toBeUndefined();
    for (const bad of [0, -1, ceiling + 1, 1e300, 2 ** 53, 0.5, '1', true, [1], {}])
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

describe('argument objects at random', () => {
  const FIELDS: Record<string, string[]> = {
    probe: ['path', 'targets', 'level', 'min_confidence', 'target_confidence', 'view', 'budget'],
    probe_batch: ['paths', 'targets', 'level', 'min_confidence', 'view', 'budget'],
    list_formats: [],
    list_targets: ['format', 'detail'],
  };
  const GOOD: Record<string, unknown[]> = {
    path: [DECK, fixture('corrupt.pdf'), fixture('.'), '/gone.pdf'],
    paths: [[DECK], [DECK, '/gone.pdf', fixture('talk.key')], DECK],
    targets: [['@summary'], ['document.title'], '@all', '["@header"]'],
    level: ['header', 'metadata', 'deep'],
    min_confidence: ['low', 'medium', 'high', 'exact'],
    target_confidence: [{ 'document.title': 'low' }, {}],
    view: ['report', 'values'],
    budget: [{ timeout_ms: 100 }, { max_archive_entries: 1 }, {}],
    format: ['pdf', '.PPTX', 'xls'],
    detail: ['compact', 'full'],
  };

  function anything(random: Random, depth = 0): unknown {
    const kind = random.below(depth > 2 ? 6 : 9);
    if (kind < 3) return random.pick(HOSTILE_STRINGS);
    if (kind === 3) return random.pick([0, -1, 1.5, 1e308, -0, 2 ** 53, 17]);
    if (kind === 4) return random.pick([true, false, null]);
    if (kind === 5) return random.pick([[], {}]);
    const count = random.below(4);
    if (kind < 8) return Array.from({ length: count }, () => anything(random, depth + 1));
    return Object.fromEntries(
      Array.from({ length: count }, () => [random.pick(HOSTILE_STRINGS), anything(random, depth + 1)]),
    );
  }

  function randomArguments(random: Random, tool: string): unknown {
    if (random.chance(0.03)) return undefined;
    const entries: [string, unknown][] = [];
    for (const field of FIELDS[tool] ?? [])
      if (random.chance(0.5))
        entries.push([field, random.chance(0.6) ? random.pick(GOOD[field] ?? []) : anything(random)]);
    if (random.chance(0.1))
      entries.push([random.pick([...HOSTILE_STRINGS, 'target', 'Path', 'budgets']), anything(random)]);
    return Object.fromEntries(entries);
  }

  /** What is wrong with an answer, or undefined when it keeps to the grammar. */
  function complaint(message: Json): string | undefined {
    const result = message.result as
      | { content: { type: string; text: string }[]; structuredContent: Json; isError?: boolean }
      | undefined;
    if (result === undefined) return 'no result';
    const [block] = result.content;
    if (result.content.length !== 1 || block?.type !== 'text') return 'not one text block';
    if (Buffer.byteLength(JSON.stringify(result)) > 1_000_000) return 'larger than a host takes';
    if (Buffer.from(block.text).toString() !== block.text) return 'ill-formed Unicode';
    const [, json = block.text, hint] = /^([\s\S]*)\nHint: (.+)$/.exec(block.text) ?? [];
    if (JSON.stringify(JSON.parse(json)) !== JSON.stringify(result.structuredContent))
      return 'text and structured content differ';
    const { status, error, reports } = result.structuredContent as {
      status?: string;
      error?: Json;
      reports?: { report: Json; hint?: string }[];
    };
    if (result.isError) return hint === undefined ? 'no hint' : envelopeComplaint(result.structuredContent);
    if (hint !== undefined || error !== undefined) return 'an error that is not marked as one';
    if (reports === undefined) return status === 'ok' || status === 'partial' ? undefined : `status ${status}`;
    for (const entry of reports) {
      const wrong = entry.report.status === 'error' ? envelopeComplaint(entry.report) : undefined;
      if (wrong !== undefined || (entry.hint !== undefined) !== (entry.report.status === 'error'))
        return wrong ?? 'hint without an error';
    }
    return undefined;
  }

  function envelopeComplaint({ schema_version, tool_version, status, error }: Json): string | undefined {
    const { code, message, exit_code } = error as { code: string; message: unknown; exit_code: number };
    if (schema_version !== 2 || typeof tool_version !== 'string' || status !== 'error') return 'not an envelope';
    if (typeof message !== 'string' || message === '') return 'no message';
    if (ENGINE_CODES.includes(code)) return exit_code >= 1 && exit_code <= 6 ? undefined : `exit code ${exit_code}`;
    return MCP_EXIT_CODES[code as keyof typeof MCP_EXIT_CODES] === exit_code ? undefined : `${code} with ${exit_code}`;
  }

  // PROPERTY_RUNS and PROPERTY_SEED take more of them, or others.
  const runs = Number(process.env.PROPERTY_RUNS ?? 3000);
  const seed = Number(process.env.PROPERTY_SEED ?? 1);

  it(`${runs} of them, at all four tools: an answer in the grammar each, and the server lives`, {
    timeout: 120_000,
  }, async () => {
    const random = seeded(seed);
    const server: Server = startBin([], {}, { cwd: temporaryFolder() });
    await initialize(server);
    const window = 32;
    for (let from = 1; from <= runs; from += window) {
      const sent = Array.from({ length: Math.min(window, runs - from + 1) }, (_, index) => {
        const tool = random.pick(['probe', 'probe', 'probe_batch', 'list_formats', 'list_targets']);
        const args = randomArguments(random, tool);
        // A list and a text for arguments are the protocol's to refuse.
        sendCall(server, from + index, tool, args);
        return { id: from + index, tool, args };
      });
      for (const { id, tool, args } of sent) {
        const wrong = complaint(await server.answer(id));
        if (wrong !== undefined)
          throw new Error(`${wrong}: seed ${seed}, call ${id}, ${tool} ${JSON.stringify(args)?.slice(0, 2000)}`);
      }
    }
    server.child.stdin.end();
    expect(await server.exit()).toEqual([0, null]);
    expect(server.impure).toEqual([]);
    expect(server.stderr.join('')).not.toMatch(/\n\s+at /);
  });

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
