import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../src/engine/run/index.js';
import { createEngine } from '../../src/engine.js';
import { MAX_DEPTH, measureJson } from '../../src/json.js';
import { answerCall } from '../../src/tools/call.js';
import { toToolResult } from '../../src/tools/result.js';
import { initialize, sendCall, sendProbe, startBin } from '../helpers/bin.js';
import { allGone, ENGINE, type Json, playedEngine } from '../helpers/engines.js';
import { fixture, temporaryFolder, writeFile } from '../helpers/files.js';

const DECK = fixture('deck.pptx');

/** A report, an error envelope and a catalogue at once, that nests `depth` levels. */
function nested(depth: number): string {
  const inner = `${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`;
  const error = '{"code":"MALFORMED_INPUT","message":"m","exit_code":4}';
  return `{"status":"error","error":${error},"targets":[],"values":${inner}}`;
}

/** An engine that answers everything, a record as well as a command, with one line. */
function answering(line: string) {
  const file = writeFile(path.join(temporaryFolder(), 'answer.json'), `${line}\n`);
  return playedEngine(`
    const line = fs.readFileSync(${JSON.stringify(file)}, 'utf8').trim();
    if (!args.includes('--jsonl')) print(line);
    else for (const _ of records()) print(line);`);
}

const CALLS: [string, Json][] = [
  ['probe', { path: DECK }],
  ['list_formats', {}],
  ['list_targets', { format: 'pdf' }],
  ['list_targets', { format: 'pdf', detail: 'full' }],
];

describe('an engine that prints deep JSON', () => {
  it.each([MAX_DEPTH + 1, 5000, 100_000])(
    'of %i levels has failed, whatever was asked, and the server lives',
    async (depth) => {
      const server = startBin([], { DECKPROBE_MCP_BIN: answering(nested(depth)).bin });
      await initialize(server);
      for (const [index, [tool, args]] of CALLS.entries()) {
        sendCall(server, index + 1, tool, args);
        expect(await server.answer(index + 1), tool).toMatchObject({
          result: {
            isError: true,
            structuredContent: {
              error: {
                code: 'MCP_ENGINE_FAILURE',
                message: expect.stringContaining('deeper than 64 levels'),
                exit_code: 6,
              },
            },
          },
        });
      }
      server.send({ jsonrpc: '2.0', id: 20, method: 'resources/read', params: { uri: 'deckprobe://schema' } });
      expect(await server.answer(20)).toMatchObject({
        error: { code: -32603, data: { error: { code: 'MCP_ENGINE_FAILURE' } } },
      });
      sendCall(server, 21, 'probe_batch', { paths: [DECK, '/gone.pdf', DECK] });
      const failed = {
        report: { error: { code: 'MCP_ENGINE_FAILURE', message: expect.stringContaining('deeper than 64') } },
      };
      expect(await server.answer(21)).toMatchObject({
        result: {
          structuredContent: { reports: [failed, { report: { error: { code: 'MCP_PATH_NOT_FOUND' } } }, failed] },
        },
      });
      server.child.stdin.end();
      expect(await server.exit()).toEqual([0, null]);
      expect(server.impure).toEqual([]);
    },
  );

  it(`of ${MAX_DEPTH} levels is passed on`, async () => {
    const server = startBin([], { DECKPROBE_MCP_BIN: answering(nested(MAX_DEPTH)).bin });
    await initialize(server);
    sendProbe(server, 1);
    sendCall(server, 2, 'probe_batch', { paths: [DECK] });
    const whole = JSON.parse(nested(MAX_DEPTH));
    expect(await server.answer(1)).toMatchObject({ result: { structuredContent: whole } });
    expect(await server.answer(2)).toMatchObject({
      result: {
        structuredContent: { reports: [{ report: { error: { code: 'MALFORMED_INPUT' }, values: whole.values } }] },
      },
    });
  });

  it('costs the batch its own entry only', async () => {
    const file = writeFile(path.join(temporaryFolder(), 'answer.json'), `${nested(5000)}\n`);
    const program = `
      const deep = fs.readFileSync(${JSON.stringify(file)}, 'utf8').trim();
      for (const record of records()) print(record.includes('corrupt') ? deep : REPORT);`;
    const server = startBin([], { DECKPROBE_MCP_BIN: playedEngine(program).bin });
    await initialize(server);
    sendCall(server, 1, 'probe_batch', { paths: [DECK, fixture('corrupt.pdf'), DECK] });
    const ok = { report: { status: 'ok' } };
    expect(await server.answer(1)).toMatchObject({
      result: { structuredContent: { reports: [ok, { report: { error: { code: 'MCP_ENGINE_FAILURE' } } }, ok] } },
    });
  });
});

describe('an engine whose error holds objects where texts are due', () => {
  it('is answered all the same', async () => {
    const odd = '{"toString":1,"valueOf":1}';
    const error = `{"code":${odd},"message":${odd},"exit_code":${odd}}`;
    const line = `{"status":"error","error":${error},"targets":[null,{"id":${odd},"applicable":true}]}`;
    const server = startBin([], { DECKPROBE_MCP_BIN: answering(line).bin });
    await initialize(server);
    for (const [index, [tool, args]] of CALLS.entries()) {
      sendCall(server, index + 1, tool, args);
      expect(await server.answer(index + 1), tool).toMatchObject({
        result: { isError: true, structuredContent: JSON.parse(line) },
      });
    }
    sendCall(server, 20, 'probe_batch', { paths: [DECK] });
    expect(await server.answer(20)).toMatchObject({
      result: { structuredContent: { reports: [{ report: { error: JSON.parse(error) } }] } },
    });
    server.send({ jsonrpc: '2.0', id: 21, method: 'resources/read', params: { uri: 'deckprobe://schema' } });
    expect(await server.answer(21)).toMatchObject({ error: { code: -32603, data: JSON.parse(line) } });
  });
});

describe('what is thrown over what a child prints', () => {
  it('ends the child, and is told', async () => {
    const fake = playedEngine(`print('one'); hang();`);
    const told: string[] = [];
    const onStdout = () => {
      throw new Error('no room for it');
    };
    const spec = { command: fake.bin, args: [], env: process.env, onStdout, onStop: () => told.push('stopped') };
    const run = startChild(spec, new AbortController().signal);
    expect(await run.ended).toMatchObject({ stop: 'fault', fault: { message: 'no room for it' } });
    expect(told).toEqual(['stopped']);
    await allGone(fake.starts().map(({ pid }) => pid));
  });

  it('fails its batch, whose slot is free again', async () => {
    const fake = playedEngine('for (const _ of records()) print(REPORT);');
    const config = {
      bin: fake.bin,
      roots: undefined,
      timeoutMs: 30_000,
      maxConcurrency: 1,
      maxBatch: 64,
      warnings: [],
    };
    const log: string[] = [];
    const engine = createEngine(config, { log: (line) => log.push(line) });
    const inputs = [1, 2, 3].map(() => ({ requested: DECK, path: DECK }));
    const call = engine.startCall();
    const settled: unknown[] = [];
    const failing = () => {
      settled.push(0);
      throw new RangeError('Maximum call stack size exceeded');
    };
    const message = 'the server failed over what the engine printed: Maximum call stack size exceeded';
    expect(await engine.probeBatch(inputs, {}, call, failing)).toEqual({ code: 'MCP_ENGINE_FAILURE', message });
    expect(settled).toHaveLength(1);
    expect(log.at(-1)).toContain(message);
    expect(await engine.probeBatch(inputs, {}, call, () => settled.push(1))).toBeUndefined();
    expect(settled).toEqual([0, 1, 1, 1]);
    call.end();
    await engine.close();
  });
});

describe('a result that cannot be serialized', () => {
  const cycle: Json = {};
  cycle.self = cycle;
  let deep: unknown = [];
  for (let level = 0; level < 100_000; level += 1) deep = [deep];

  it.each<[string, Json, RegExp]>([
    ['a BigInt', { n: 1n }, /BigInt/],
    ['a cycle', cycle, /circular/],
    ['nesting beyond the stack', { deep }, /call stack/],
  ])('for %s is answered as an error', async (_, value, message) => {
    const config = { bin: ENGINE, roots: undefined, timeoutMs: 30_000, maxConcurrency: 1, maxBatch: 64, warnings: [] };
    const engine = createEngine(config, { log: () => {} });
    const context = { mcpReq: { signal: new AbortController().signal } };
    const outcome = { kind: 'answer', value, text: '{}' } as const;
    const result = await answerCall(engine, context, { args: {} }, async () =>
      toToolResult(outcome, { toolVersion: '2.7.0' }),
    );
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'MCP_ENGINE_FAILURE' } } });
    expect(result.structuredContent).toMatchObject({ error: { message: expect.stringMatching(message) } });
    await engine.close();
  });
});

describe('measureJson', () => {
  it.each<[string, number, number]>([
    ['', 0, 0],
    ['1', 0, 0],
    ['[]', 1, 0],
    ['[[1,2],{"a":[3,4]}]', 3, 3],
    ['{"a":"[[[,,,"}', 1, 0],
    ['["\\"[,","\\\\",["\\\\\\"["]]', 2, 2],
    ['["a\\\\"],[[]]', 2, 1],
    ['["never ends [[', 1, 0],
    ['["ends in a backslash\\', 1, 0],
    ['["escaped end\\"', 1, 0],
    ['"é漢😀[",[', 1, 1],
    ['}}}[', 0, 0],
  ])('of %s finds %i levels and %i commas', (text, depth, commas) => {
    expect(measureJson(text)).toEqual({ depth, commas });
  });
});
