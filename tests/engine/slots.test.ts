import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../src/engine/run/semaphore.js';
import { failureOf, startEngine } from '../helpers/engine-under-test.js';
import { fakeEngine, TINY_REPORT } from '../helpers/engines.js';
import { temporaryFolder } from '../helpers/files.js';

describe('slots', () => {
  it('never run more processes than configured, over probes and discovery', async () => {
    const folder = temporaryFolder();
    // Each process counts those alive with it, itself included.
    const fake = fakeEngine(
      `touch ${folder}/$$; ls ${folder} | wc -l >> ${folder}.counts; sleep 0.02; rm ${folder}/$$; echo '${TINY_REPORT}'`,
    );
    const { probe, formats } = startEngine({ bin: fake.bin, maxConcurrency: 2 });
    await Promise.all([...Array.from({ length: 12 }, () => probe()), formats()]);
    const counts = readFileSync(`${folder}.counts`, 'utf8').trim().split('\n').map(Number);
    expect(counts).toHaveLength(13);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });

  it('are held until the process is gone, not until it was told to go', async () => {
    const fake = fakeEngine(`trap '' TERM; echo up >&2; while :; do sleep 0.01; done`);
    const { probe } = startEngine({ bin: fake.bin, maxConcurrency: 1, timeoutMs: 150 });
    const [first, second] = await Promise.all([probe(), probe()]);
    expect(failureOf(first).message).toContain('while running the engine');
    expect(failureOf(second).message).toContain('while waiting for a free engine slot');
    // The version and the first probe; the second one never got a process.
    expect(fake.starts()).toHaveLength(2);
  });

  it('go to waiters in order, and skip those that have left', async () => {
    const slots = new Semaphore(1);
    const never = new AbortController().signal;
    const leaving = new AbortController();
    const order: string[] = [];
    const release = await slots.acquire(never);
    const waiting = ['a', 'b', 'c'].map((name) =>
      slots.acquire(name === 'b' ? leaving.signal : never).then((next) => {
        order.push(next === undefined ? `${name} left` : name);
        next?.();
        next?.();
      }),
    );
    leaving.abort();
    release?.();
    release?.();
    await Promise.all(waiting);
    expect(order).toEqual(['b left', 'a', 'c']);
    expect(await slots.acquire(AbortSignal.abort())).toBeUndefined();
  });
});
