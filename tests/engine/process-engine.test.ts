import { describe, expect, it } from 'vitest';
import { failureOf, startEngine } from '../helpers/engine-under-test.js';
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
