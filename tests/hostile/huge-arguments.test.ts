import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listTargetsInput, type Parsed, probeBatchInput, probeInput, toolInput } from '../../src/schemas.js';
import { initialize, type Server, sendCall, sendProbe, startBin } from '../helpers/bin.js';
import { call, connect } from '../helpers/clients.js';
import { fixture } from '../helpers/files.js';

const DECK = fixture('deck.pptx');
const HUGE = 1_000_000;
/** What may be read of a huge list or object: what tells that it is one, and the first of it. */
const FEW = 300;

interface Watched {
  readonly value: object;
  /** Values that were read of it. */
  reads(): number;
}

/** A list or an object that counts how many of its values are read. */
function watched(target: object): Watched {
  let count = 0;
  const get = (from: object, key: string | symbol) => {
    if (typeof key === 'string' && key !== 'length') count += 1;
    return Reflect.get(from, key);
  };
  return { value: new Proxy(target, { get }), reads: () => count };
}

function list(length: number, item: unknown): Watched {
  return watched(Array.from({ length }, () => item));
}

function map(length: number, value: unknown): Watched {
  return watched(Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, value])));
}

const PROBE = toolInput(probeInput);
const BATCH = toolInput(() => probeBatchInput(64));
const TARGETS = toolInput(listTargetsInput);

/** What a tool makes of arguments, as the SDK asks it. */
async function failureOf(tool: typeof PROBE | typeof BATCH | typeof TARGETS, args: unknown) {
  const result = await tool['~standard'].validate(args);
  if (result.issues !== undefined) throw new Error('the SDK would answer by itself');
  const parsed: Parsed<unknown> = result.value;
  return 'failure' in parsed ? parsed.failure : undefined;
}

afterEach(() => void vi.restoreAllMocks());

describe('huge arguments are judged by their length', () => {
  it.each<[string, typeof PROBE | typeof BATCH, Watched, string, object, string, RegExp]>([
    [
      'targets of numbers',
      PROBE,
      list(HUGE, 0),
      'targets',
      {},
      'MCP_INVALID_ARGUMENT',
      /^targets holds 1000000 entries; at most 100 fit/,
    ],
    [
      'targets of names',
      PROBE,
      list(101, 'x'),
      'targets',
      {},
      'MCP_INVALID_ARGUMENT',
      /^targets holds 101 entries; at most 100 fit/,
    ],
    [
      'targets of a batch',
      BATCH,
      list(HUGE, 'x'),
      'targets',
      { paths: [DECK] },
      'MCP_INVALID_ARGUMENT',
      /^targets holds 1000000 entries/,
    ],
    [
      'paths',
      BATCH,
      list(HUGE, 0),
      'paths',
      {},
      'MCP_BATCH_TOO_LARGE',
      /^paths holds 1000000 entries; at most 64 fit .*DECKPROBE_MCP_MAX_BATCH/,
    ],
    [
      'target_confidence',
      PROBE,
      map(HUGE, 0),
      'target_confidence',
      {},
      'MCP_INVALID_ARGUMENT',
      /^target_confidence holds 1000000 keys; at most 100 fit/,
    ],
    [
      'target_confidence that fits',
      PROBE,
      map(101, 'low'),
      'target_confidence',
      {},
      'MCP_INVALID_ARGUMENT',
      /holds 101 keys; at most 100 fit/,
    ],
    ['budget', PROBE, map(HUGE, 1), 'budget', {}, 'MCP_INVALID_ARGUMENT', /^unknown key "k0" in budget/],
    [
      'a list for an object',
      PROBE,
      list(HUGE, 1),
      'budget',
      {},
      'MCP_INVALID_ARGUMENT',
      /^budget is an array of 1000000/,
    ],
    [
      'a list for a string',
      PROBE,
      list(HUGE, 'a\0'),
      'level',
      {},
      'MCP_INVALID_ARGUMENT',
      /^level is an array of 1000000/,
    ],
    ['an object for a list', PROBE, map(HUGE, 'a\0'), 'targets', {}, 'MCP_INVALID_ARGUMENT', /^targets is an object/],
    ['an unknown list', PROBE, list(HUGE, 'a\0'), 'zzzzzzzz', {}, 'MCP_INVALID_ARGUMENT', /^unknown key "zzzzzzzz"/],
    ['an unknown object', PROBE, map(HUGE, 'a\0'), 'zzzzzzzz', {}, 'MCP_INVALID_ARGUMENT', /^unknown key "zzzzzzzz"/],
  ])('%s', async (_, tool, huge, field, rest, code, message) => {
    const failure = await failureOf(tool, {
      path: DECK,
      ...rest,
      [field]: huge.value,
      ...(tool === BATCH && { path: undefined }),
    });
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message), hint: expect.stringMatching(/./) });
    expect(huge.reads()).toBeLessThan(FEW);
  });

  it('a list inside a list', async () => {
    const inner = list(HUGE, 'a\0');
    expect(await failureOf(PROBE, { path: DECK, targets: ['a', inner.value] })).toMatchObject({
      code: 'MCP_INVALID_ARGUMENT',
      message: 'targets[1] is an array of 1000000; valid is a string',
    });
    expect(inner.reads()).toBeLessThan(FEW);
  });

  it('keys of the arguments themselves', async () => {
    const args = map(HUGE, 'a\0');
    expect(await failureOf(TARGETS, args.value)).toMatchObject({
      code: 'MCP_INVALID_ARGUMENT',
      message: expect.stringMatching(/^unknown key "k0"/),
    });
    expect(args.reads()).toBeLessThan(FEW);
  });

  const zeros = `[${'0,'.repeat(HUGE)}0]`;
  it.each<[string, typeof PROBE | typeof BATCH, string, string, string, RegExp]>([
    ['targets', PROBE, 'targets', zeros, 'MCP_INVALID_ARGUMENT', /^targets holds 1000001 values; at most 100 fit/],
    ['paths', BATCH, 'paths', zeros, 'MCP_BATCH_TOO_LARGE', /^paths holds 1000001 values; at most 64 fit/],
    [
      'a list in a list',
      PROBE,
      'targets',
      `[${zeros}]`,
      'MCP_INVALID_ARGUMENT',
      /^targets is a text of nested JSON; valid is an array of strings/,
    ],
    [
      'deep lists',
      PROBE,
      'targets',
      `${'['.repeat(HUGE)}${']'.repeat(HUGE)}`,
      'MCP_INVALID_ARGUMENT',
      /^targets is a text of nested JSON/,
    ],
    [
      'a map',
      PROBE,
      'target_confidence',
      `{${'"a":0,'.repeat(HUGE)}"a":0}`,
      'MCP_INVALID_ARGUMENT',
      /^target_confidence holds 1000001 values/,
    ],
    [
      'budget',
      PROBE,
      'budget',
      `{"timeout_ms":${zeros}}`,
      'MCP_INVALID_ARGUMENT',
      /^budget is a text of nested JSON; valid is an object with/,
    ],
    [
      'a lone string',
      PROBE,
      'targets',
      'x,'.repeat(HUGE),
      'MCP_INVALID_ARGUMENT',
      /^targets\[0\] is 2000000 characters long/,
    ],
  ])('%s as a JSON text, which is not parsed', async (name, tool, field, text, code, message) => {
    const parse = vi.spyOn(JSON, 'parse');
    const rest = tool === BATCH ? {} : { path: DECK };
    const failure = await failureOf(tool, { ...rest, [field]: text });
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message) });
    // A lone string is found out at its first character.
    if (name !== 'a lone string') expect(parse).not.toHaveBeenCalled();
  });
});

describe('what is within the bounds', () => {
  it('is taken, in a list and as a JSON text', async () => {
    const targets = Array.from({ length: 100 }, () => 'document.title');
    const target_confidence = { 'document.title': 'low' };
    const { client } = await connect();
    for (const given of [targets, JSON.stringify(targets)]) {
      const { isError, value } = await call(client, 'probe', {
        path: DECK,
        targets: given,
        target_confidence,
        view: 'values',
      });
      expect([isError, value.status]).toEqual([false, 'ok']);
    }
  });

  it('and a long JSON text of few long paths too', async () => {
    const paths = Array.from({ length: 3 }, (_, index) => `/gone/${index}/${'x,[{'.repeat(8000)}`);
    const { client } = await connect();
    const { value } = await call(client, 'probe_batch', { paths: JSON.stringify(paths) });
    expect(value.reports).toHaveLength(3);
  });
});

// Only Linux tells how much memory a process has held at most.
describe.runIf(process.platform === 'linux')('ten megabytes in one argument', () => {
  /** The most memory that a server has had so far, MiB. */
  function peakMib({ child }: Server): number {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  it.each([
    ['a text of a list', `[${'0,'.repeat(4_900_000)}0]`],
    ['a lone string', 'x'.repeat(9_800_000)],
  ])('%s raises memory by less than 200 MiB', async (_, targets) => {
    const server = startBin();
    await initialize(server);
    sendProbe(server, 1);
    await server.answer(1);
    const before = peakMib(server);
    sendCall(server, 2, 'probe', { path: DECK, targets });
    expect(await server.answer(2)).toMatchObject({
      result: { isError: true, structuredContent: { error: { code: 'MCP_INVALID_ARGUMENT' } } },
    });
    expect(peakMib(server) - before).toBeLessThan(200);
  });
});
