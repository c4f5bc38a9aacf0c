import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { startCall } from '../../src/engine/call.js';
import { createEngine } from '../../src/engine.js';
import { playedEngine } from '../helpers/engines.js';
import { fixture } from '../helpers/files.js';

const DECK = fixture('deck.pptx');
const HOUR = 3_600_000;

/** An engine of one slot that hangs, and calls of any deadline, all ended with the test. */
function hanging() {
  const fake = playedEngine('hang()');
  const log: string[] = [];
  const engine = createEngine(
    { ...loadConfig({}), bin: fake.bin, maxConcurrency: 1 },
    { log: (line) => log.push(line) },
  );
  onTestFinished(() => engine.close());
  const callOf = (timeoutMs: number) => {
    const call = startCall(undefined, timeoutMs);
    onTestFinished(() => call.end());
    return call;
  };
  return { fake, engine, log, callOf };
}

function timeout(limit: number, phase: string) {
  const message = `the call's limit of ${limit} ms (DECKPROBE_MCP_TIMEOUT_MS) ran out while ${phase}`;
  return { kind: 'failure', failure: { code: 'MCP_TIMEOUT', message } };
}

describe('a catalogue that is not there by the deadline', () => {
  it('says that it waited for a slot, to each that shares it, by its own deadline', async () => {
    const { fake, engine, log, callOf } = hanging();
    void engine.probe({ requested: DECK, path: DECK }, {}, callOf(HOUR));
    await expect.poll(() => fake.starts().length, { timeout: 20_000 }).toBe(2);
    const limits = [150, 300, 450];
    const answers = await Promise.all(limits.map((limit) => engine.formats(callOf(limit))));
    expect(answers).toEqual(limits.map((limit) => timeout(limit, 'waiting for a free engine slot')));
    expect(await engine.targets('pdf', callOf(100))).toEqual(timeout(100, 'waiting for a free engine slot'));
    expect(await engine.schema(callOf(100))).toEqual(timeout(100, 'waiting for a free engine slot'));
    // None of them got a process; the operator is told of each run once.
    expect(fake.starts()).toHaveLength(2);
    expect(log.filter((line) => /^MCP_TIMEOUT after \d+ ms, pid none/.test(line))).toHaveLength(3);
  });

  it('says that the engine ran, to each that shares it, whoever began', async () => {
    const { fake, engine, callOf } = hanging();
    const first = engine.formats(callOf(HOUR));
    await expect.poll(() => fake.starts().length, { timeout: 20_000 }).toBe(2);
    expect(await engine.formats(callOf(100))).toEqual(timeout(100, 'running the engine'));
    await engine.close();
    expect(await first).toMatchObject({ failure: { message: 'the server is shutting down' } });
  });
});
