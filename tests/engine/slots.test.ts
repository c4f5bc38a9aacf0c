import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../src/engine/run/semaphore.js';
import type { Outcome } from '../../src/engine/types.js';
import { failureOf, manualCall, startEngine } from '../helpers/engine-under-test.js';
import { playedEngine } from '../helpers/engines.js';
import { temporaryFolder } from '../helpers/files.js';
import { until } from '../helpers/waiting.js';

describe('slots', () => {
  it('never run more processes than configured, over probes and discovery', async () => {
    const folder = temporaryFolder();
    // Each process counts those alive with it, itself included.
    const fake = playedEngine(`
      const mine = ${JSON.stringify(`${folder}/`)} + process.pid;
      fs.writeFileSync(mine, '');
      fs.appendFileSync(${JSON.stringify(`${folder}.counts`)}, fs.readdirSync(${JSON.stringify(folder)}).length + '\\n');
      sleep(20);
      fs.rmSync(mine);
      print(REPORT);`);
    const { probe, formats } = startEngine({ bin: fake.bin, maxConcurrency: 2 });
    await Promise.all([...Array.from({ length: 12 }, () => probe()), formats()]);
    const counts = readFileSync(`${folder}.counts`, 'utf8').trim().split('\n').map(Number);
    expect(counts).toHaveLength(13);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });

  it('are held until the process is gone, not until it was told to go', async () => {
    const folder = temporaryFolder();
    const [first, seen] = [`${folder}/first`, `${folder}/seen`];
    // The first one does not go when it is told to. The next one looks whether it is still there.
    const fake = playedEngine(`
      const [first, seen] = ${JSON.stringify([first, seen])};
      if (!fs.existsSync(first)) {
        ignoreTerm();
        fs.writeFileSync(first, process.pid + '\\n');
        hang();
      }
      let isThere = true;
      try { process.kill(Number(fs.readFileSync(first)), 0); } catch { isThere = false; }
      fs.writeFileSync(seen, isThere ? 'there' : 'gone');
      print(REPORT);`);
    const { probe } = startEngine({ bin: fake.bin, maxConcurrency: 1 });
    const calls = [manualCall(), manualCall(), manualCall()] as const;
    const outcomes = calls.map((call) => probe({}, call));
    await until(
      () => existsSync(first) && readFileSync(first, 'utf8').endsWith('\n'),
      () => 'the first engine did not come up',
    );
    calls[1].expire();
    calls[0].expire();
    const [running, queued, next] = (await Promise.all(outcomes)) as [Outcome, Outcome, Outcome];
    expect(failureOf(running).message).toContain('while running the engine');
    expect(failureOf(queued).message).toContain('while waiting for a free engine slot');
    expect(next.kind).toBe('answer');
    expect(readFileSync(seen, 'utf8')).toBe('gone');
    // The version, the first probe and the last; the one in the queue never got a process.
    expect(fake.starts()).toHaveLength(3);
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
