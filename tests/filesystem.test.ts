import { readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../src/config.js';
import { unboundedController } from '../src/engine/call.js';
import { createEngine } from '../src/engine.js';
import { OPERATIONS } from '../src/filesystem/operations.js';
import { type HelperOptions, Outside, type StartHelper } from '../src/filesystem/outside.js';
import { FileSystem } from '../src/filesystem.js';
import { Neighbours } from '../src/paths/neighbour.js';
import { Roots } from '../src/paths/roots.js';
import { allGone } from './helpers/engines.js';
import { fixture, MAIN, temporaryFolder, writeFile } from './helpers/files.js';

const NEVER = unboundedController().signal;

/** A process of helpers' own kind in the hands of a test: it answers when it is told to. */
function heldHelpers() {
  const started: { options: HelperOptions; lines: string[]; ended: boolean; answerAll(): void }[] = [];
  const start: StartHelper = async (options) => {
    const helper = {
      options,
      lines: [] as string[],
      ended: false,
      answerAll: () => {
        for (const line of helper.lines.splice(0))
          options.onLine(JSON.stringify({ id: JSON.parse(line).id, gives: true }));
      },
    };
    started.push(helper);
    return {
      write: (line) => void helper.lines.push(line),
      end: () => {
        helper.ended = true;
      },
    };
  };
  return { start, started };
}

const ask = (outside: Outside, signal = NEVER) => outside.ask('status', { path: '/x' }, signal);

describe('looks outside this process', () => {
  it('are taken by a real process, which ends with the engine', async () => {
    const pids: number[] = [];
    const engine = createEngine(loadConfig({}), { log: () => {} });
    onTestFinished(() => engine.close());
    const { ProcessEngine } = await import('../src/engine/process-engine.js');
    const real = new ProcessEngine(loadConfig({}), engine.files, { log: () => {} });
    // The entry of the helper is the built one: what vitest runs has no JavaScript beside it.
    const args = [path.join(path.dirname(MAIN), 'filesystem', 'runner.js')];
    const outside = new Outside(async (options) => {
      const helper = real.startHelper({ ...options, args });
      return helper;
    });
    const file = fixture('deck.pptx');
    expect(await outside.ask('place', { path: file }, NEVER)).toEqual({
      real: file,
      missing: false,
      size: expect.any(Number),
    });
    expect(await outside.ask('status', { path: `${file}x` }, NEVER)).toEqual({ missing: true });
    // node:readline would end a line at these, from Node 24 on.
    for (const name of ['a\u2028b', 'a\u2029b', 'a\nb', 'a\rb'])
      expect(await outside.ask('status', { path: `/none/${name}` }, NEVER)).toEqual({ missing: true });
    expect(
      await outside.ask('names', { folder: path.dirname(file), limits: { names: 1000, ms: 10_000 } }, NEVER),
    ).toContain('deck.pptx');
    const { header, problem } = (await outside.ask('executable', { path: process.execPath }, NEVER)) as {
      header: string;
      problem?: string;
    };
    expect([problem, Buffer.from(header, 'base64').subarray(0, 20)]).toEqual([
      undefined,
      readFileSync(process.execPath).subarray(0, 20),
    ]);
    await real.close();
    await allGone(pids);
  });

  it('go to one process while it has threads for them, then to another', async () => {
    const { start, started } = heldHelpers();
    const outside = new Outside(start);
    const looks = Array.from({ length: 65 }, () => ask(outside));
    await expect.poll(() => started.map(({ lines }) => lines.length)).toEqual([64, 1]);
    for (const helper of started) helper.answerAll();
    expect(await Promise.all(looks)).toEqual(looks.map(() => true));
  });

  it('that nobody waits for any longer end with their process, and those beside them do not suffer', async () => {
    const { start, started } = heldHelpers();
    const outside = new Outside(start);
    const leaving = new AbortController();
    const left = ask(outside, leaving.signal);
    const kept = ask(outside);
    await expect.poll(() => started[0]?.lines.length).toBe(2);
    leaving.abort();
    expect(await left).toBeUndefined();
    expect(started[0]?.ended).toBe(false);
    started[0]?.options.onLine(JSON.stringify({ id: 2, gives: 'kept' }));
    expect(await kept).toBe('kept');
    expect(started[0]?.ended).toBe(true);
    const next = ask(outside);
    await expect.poll(() => started[1]?.lines.length).toBe(1);
    started[1]?.answerAll();
    expect(await next).toBe(true);
  });

  it('are not ended with a process that was idle for a while and has work again', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { start, started } = heldHelpers();
    const outside = new Outside(start);
    const first = [ask(outside), ask(outside)];
    await vi.advanceTimersByTimeAsync(0);
    started[0]?.answerAll();
    await Promise.all(first);
    const leaving = new AbortController();
    // Those that leave have each process looked at once more, the idle one too.
    const elsewhere = Array.from({ length: 64 }, () => ask(outside));
    const left = ask(outside, leaving.signal);
    await vi.advanceTimersByTimeAsync(0);
    expect(started.map(({ lines }) => lines.length)).toEqual([64, 1]);
    started[0]?.answerAll();
    await Promise.all(elsewhere);
    leaving.abort();
    await left;
    await vi.advanceTimersByTimeAsync(4000);
    const late = ask(outside);
    await vi.advanceTimersByTimeAsync(4000);
    expect(started[0]?.ended).toBe(false);
    started[0]?.answerAll();
    expect(await late).toBe(true);
    await vi.advanceTimersByTimeAsync(5000);
    expect(started[0]?.ended).toBe(true);
  });

  it('whose process the system ends are taken by another', async () => {
    const { start, started } = heldHelpers();
    const outside = new Outside(start);
    const looks = [ask(outside), ask(outside)];
    await expect.poll(() => started[0]?.lines.length).toBe(2);
    started[0]?.options.onEnd('the process ended with SIGKILL');
    await expect.poll(() => started[1]?.lines.length).toBe(2);
    started[1]?.answerAll();
    expect(await Promise.all(looks)).toEqual([true, true]);
  });

  it('wait when sixteen processes are held up, and leave the queue when they are no longer wanted', async () => {
    const { start, started } = heldHelpers();
    const outside = new Outside(start);
    const held = unboundedController();
    const looks = Array.from({ length: 16 * 64 }, () => ask(outside, held.signal));
    const leaving = new AbortController();
    const left = ask(outside, leaving.signal);
    const waiting = ask(outside);
    await expect.poll(() => started.length).toBe(16);
    leaving.abort();
    expect(await left).toBeUndefined();
    held.abort();
    expect(new Set(await Promise.all(looks))).toEqual(new Set([undefined]));
    await expect.poll(() => started[16]?.lines.length).toBe(1);
    started[16]?.answerAll();
    expect(await waiting).toBe(true);
  });

  it.each<[string, (start: StartHelper) => StartHelper]>([
    ['cannot be started', () => () => Promise.reject(new Error('spawn EMFILE'))],
    [
      'ends at once',
      (start) => async (options) => {
        const helper = await start(options);
        options.onEnd('spawn EMFILE');
        return helper;
      },
    ],
  ])('whose process %s fail with the reason, and the next ones are taken by another', async (_, spoil) => {
    const { start, started } = heldHelpers();
    let spoiled = spoil(start);
    const outside = new Outside((options) => spoiled(options));
    await expect(ask(outside)).rejects.toThrow('spawn EMFILE');
    spoiled = start;
    const next = ask(outside);
    await expect.poll(() => started.at(-1)?.lines.length).toBe(1);
    started.at(-1)?.answerAll();
    expect(await next).toBe(true);
  });
});

describe('a folder', () => {
  it('that is asked about a thousand times at once is read once', async () => {
    const folder = temporaryFolder();
    writeFile(path.join(folder, 'Report.pdf'), '');
    let readings = 0;
    class Counting extends FileSystem {
      override ask: FileSystem['ask'] = (name, takes, signal) => {
        if (name === 'names') readings += 1;
        return super.ask(name, takes, signal);
      };
    }
    const neighbours = new Neighbours(new Counting(() => Promise.reject(new Error('not needed'))), {
      names: 5000,
      ms: 10_000,
    });
    const found = await Promise.all(
      Array.from({ length: 1000 }, () => neighbours.nearlyMatching(path.join(folder, 'report.pdf'))),
    );
    expect(new Set(found)).toEqual(new Set([path.join(folder, 'Report.pdf')]));
    expect(readings).toBe(1);
  });
});

describe('a place', () => {
  // By links that come and go; where links can be made on Windows, a file in use cannot be removed.
  it.skipIf(process.platform === 'win32')('is never that of a link, whenever the link appears', async () => {
    const folder = realpathSync(temporaryFolder());
    const target = writeFile(path.join(folder, 'target.pdf'), '');
    const link = path.join(folder, 'link.pdf');
    for (let round = 0; round < 400; round += 1) {
      const looking = OPERATIONS.place({ path: link });
      for (let turn = 0; turn < round % 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      symlinkSync(target, link);
      const { real, missing } = await looking;
      rmSync(link);
      if (missing) expect(real).toBe(link);
      else expect(real, `round ${round}`).toBe(target);
    }
  });
});

describe('a root', () => {
  it('whose look never came back is looked at anew, and the old look is given up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const signals: AbortSignal[] = [];
    class Mounts extends FileSystem {
      override ask: FileSystem['ask'] = (name, takes, signal) => {
        signals.push(signal);
        return signals.length === 1 ? new Promise(() => {}) : super.ask(name, takes, signal);
      };
    }
    const root = realpathSync(temporaryFolder());
    const roots = new Roots([root], new Mounts(() => Promise.reject(new Error('not needed'))));
    const first = roots.look().states;
    await vi.advanceTimersByTimeAsync(2100);
    expect(await first).toEqual(['silent']);
    // While it is open, nobody waits for it again.
    expect(await roots.look().states).toEqual(['silent']);
    await vi.advanceTimersByTimeAsync(14_000);
    expect(await roots.look().states).toEqual([{ real: root }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });
});
