import { describe, expect, it } from 'vitest';
import { failureOf, startEngine } from '../helpers/engine-under-test.js';
import { allGone, fakeEngine, TINY_REPORT } from '../helpers/engines.js';
import { fixture } from '../helpers/files.js';

describe('after a crash', () => {
  it('the engine goes on answering, each time', async () => {
    const fake = fakeEngine(`case "$*" in *corrupt*) kill -KILL $$;; *) echo '${TINY_REPORT}';; esac`);
    const { engine, probe } = startEngine({ bin: fake.bin, maxConcurrency: 1 });
    for (let round = 0; round < 3; round += 1) {
      const call = engine.startCall();
      const crash = await engine.probe({ requested: 'c', path: fixture('corrupt.pdf') }, {}, call);
      call.end();
      expect(failureOf(crash).message).toContain('SIGKILL');
      expect(await probe()).toMatchObject({ kind: 'answer' });
    }
  });
});

describe('close', () => {
  it('ends running processes and lets queued calls end without one', async () => {
    const fake = fakeEngine('exec sleep 600');
    const { engine, probe } = startEngine({ bin: fake.bin, maxConcurrency: 1 });
    const calls = Promise.all([probe(), probe()]);
    await fake.started(2);
    await engine.close();
    for (const outcome of await calls) expect(failureOf(outcome).message).toContain('shutting down');
    await allGone(fake.starts().map(({ pid }) => pid));
  });
});
