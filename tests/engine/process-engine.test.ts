import { describe, expect, it } from 'vitest';
import { unlessAborted } from '../../src/engine/call.js';
import type { EngineInput } from '../../src/engine/types.js';
import type { Failure } from '../../src/errors.js';
import { DECK, failureOf, startEngine } from '../helpers/engine-under-test.js';
import { allGone, CRASH, playedEngine } from '../helpers/engines.js';
import { fixture } from '../helpers/files.js';

describe('after a crash', () => {
  it('the engine goes on answering, each time', async () => {
    const fake = playedEngine(`if (args.at(-1).includes('corrupt')) crash(); print(REPORT);`);
    const { engine, probe } = startEngine({ bin: fake.bin, maxConcurrency: 1 });
    for (let round = 0; round < 3; round += 1) {
      const call = engine.startCall();
      const crash = await engine.probe({ requested: 'c', path: fixture('corrupt.pdf') }, {}, call);
      call.end();
      expect(failureOf(crash).message).toMatch(CRASH);
      expect(await probe()).toMatchObject({ kind: 'answer' });
    }
  });
});

describe('close', () => {
  it('ends running processes and lets queued calls end without one', async () => {
    const fake = playedEngine('hang()');
    const { engine, probe } = startEngine({ bin: fake.bin, maxConcurrency: 1 });
    const calls = Promise.all([probe(), probe()]);
    await fake.started(2);
    await engine.close();
    for (const outcome of await calls) expect(failureOf(outcome).message).toContain('shutting down');
    await allGone(fake.starts().map(({ pid }) => pid));
  });
});

describe('a path that was checked a while ago', () => {
  const gone: Failure = { code: 'MCP_PATH_NOT_ALLOWED', message: 'it leads outside by now' };

  it.each([
    ['is checked again, though no call had to wait', 1000, 1],
    ['is not, when it was checked just now', -60_000, 0],
  ])('%s', async (_, age, expected) => {
    const { engine, probe } = startEngine({ bin: playedEngine('print(REPORT)').bin });
    await probe();
    let rechecks = 0;
    const input = (): EngineInput => ({
      ...DECK,
      checkedAt: performance.now() - age,
      recheck: async () => {
        rechecks += 1;
        return { failure: gone };
      },
    });
    const call = engine.startCall();
    const outcomes = [await engine.probe(input(), {}, call)];
    await engine.probeBatch([input()], {}, call, (outcome) => outcomes.push(outcome));
    call.end();
    expect(rechecks).toBe(2 * expected);
    for (const outcome of outcomes) expect(outcome.kind === 'failure').toBe(expected === 1);
  });
});

describe('work that fails after nobody waits for it any more', () => {
  it('is no unhandled rejection', async () => {
    expect(await unlessAborted(Promise.reject(new Error('too late')), AbortSignal.abort())).toBeUndefined();
  });
});
