import { describe, expect, it } from 'vitest';
import { MCP_EXIT_CODES } from '../../src/errors.js';
import { initialize, type Server, sendCall, startBin } from '../helpers/bin.js';
import type { Json } from '../helpers/engines.js';
import { fixture, temporaryFolder } from '../helpers/files.js';
import { HOSTILE_STRINGS } from '../helpers/hostile-strings.js';
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
    const expected = hint === undefined ? JSON.parse(json) : { ...JSON.parse(json), hint };
    if (JSON.stringify(expected) !== JSON.stringify(result.structuredContent))
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
});
