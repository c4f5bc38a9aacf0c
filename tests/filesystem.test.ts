import { readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../src/config.js';
import { unboundedController } from '../src/engine/call.js';
import { createEngine } from '../src/engine.js';
import type { HelperOptions, StartHelper } from '../src/filesystem/helper.js';
import { OPERATIONS } from '../src/filesystem/operations.js';
import { Outside } from '../src/filesystem/outside.js';
import { FileSystem } from '../src/filesystem.js';
import { Neighbours } from '../src/paths/neighbour.js';
import { Roots } from '../src/paths/roots.js';
import { allGone } from './helpers/engines.js';
import { fixture, MAIN, temporaryFolder, writeFile } from './helpers/files.js';

const NEVER = unboundedController().signal;

/** A process of helpers' own kind in the hands of a test: it takes what it is asked, unless it is deaf, and answers when it is told to. */
function heldHelpers() {
  const started: { options: HelperOptions; lines: string[]; deaf: boolean; ended: boolean; answerAll(): void }[] = [];
  const start: StartHelper = async (options) => {
    const helper = {
      options,
      lines: [] as string[],
      deaf: false,
      ended: false,
      answerAll: () => {
        for (const line of helper.lines.splice(0))
          options.onLine(JSON.stringify({ id: JSON.parse(line).id, gives: true }));
      },
    };
    started.push(helper);
    return {
      write: (line) => {
        helper.lines.push(line);
        if (!helper.deaf) options.onLine(JSON.stringify({ taken: JSON.parse(line).id }));
      },
      end: () => {
        helper.ended = true;
      },
    };
  };
  return { start, started };
}

/** Further processes are started when nothing has come back for a while. */
const PATIENT = { timeout: 20_000 };

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
    const looks = Array.from({ length: 257 }, () => ask(outside));
    await expect.poll(() => started.map(({ lines }) => lines.length), PATIENT).toEqual([256, 1]);
    for (const helper of started) helper.answerAll();
    expect(await Promise.all(looks)).toEqual(looks.map(() => true));
  });

  it('go to one process, many at once, as long as they come back', async () => {
    const { start, started } = heldHelpers();
    const outside = new Outside(start);
    const looks = Array.from({ length: 1000 }, () => ask(outside));
    let answered = 0;
    for (const look of looks) void look.then(() => (answered += 1));
    while (answered < looks.length) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const helper of started) helper.answerAll();
    }
    expect(started).toHaveLength(1);
  });

  it('that nobody waits for any longer keep their threads, and a process ends when it has none left', async () => {
    const { start, started } = heldHelpers();
    const outside = new Outside(start);
    // As long as the share is gone: one process serves, since the kernel may not let go of one that is ended.
    for (let hung = 1; hung <= 255; hung += 1) {
      const leaving = new AbortController();
      const left = ask(outside, leaving.signal);
      await expect.poll(() => started[0]?.lines.length).toBe(hung);
      leaving.abort();
      expect(await left).toBeUndefined();
    }
    const kept = ask(outside);
    await expect.poll(() => started[0]?.lines.length).toBe(256);
    started[0]?.options.onLine(JSON.stringify({ id: 256, gives: 'kept' }));
    expect(await kept).toBe('kept');
    expect(started.map(({ ended }) => ended)).toEqual([false]);
    const leaving = new AbortController();
    const last = ask(outside, leaving.signal);
    await expect.poll(() => started[0]?.lines.length).toBe(257);
    leaving.abort();
    expect(await last).toBeUndefined();
    expect(started.map(({ ended }) => ended)).toEqual([true]);
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
    const elsewhere = Array.from({ length: 256 }, () => ask(outside));
    const left = ask(outside, leaving.signal);
    await vi.advanceTimersByTimeAsync(600);
    expect(started.map(({ lines }) => lines.length)).toEqual([256, 1]);
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

  it('are taken by a process with fewer threads where the system refuses many, and by ones with more later', async () => {
    const { start, started } = heldHelpers();
    let allowed = 10;
    const outside = new Outside(async (options) => {
      const helper = await start(options);
      if (Number(options.env.UV_THREADPOOL_SIZE) > allowed) options.onEnd('the process ended with SIGABRT');
      return helper;
    });
    const threads = () => started.map(({ options }) => Number(options.env.UV_THREADPOOL_SIZE));
    const looks = [ask(outside), ask(outside), ask(outside), ask(outside), ask(outside)];
    await expect.poll(() => started.map(({ lines }) => lines.length), PATIENT).toEqual([5, 5, 4, 1]);
    expect(threads()).toEqual([256, 32, 4, 4]);
    started[2]?.answerAll();
    started[3]?.answerAll();
    expect(await Promise.all(looks)).toEqual(looks.map(() => true));
    allowed = 1000;
    const more = Array.from({ length: 9 }, () => ask(outside));
    await expect.poll(() => started.map(({ lines }) => lines.length), PATIENT).toEqual([5, 5, 4, 4, 1]);
    expect(threads().at(-1)).toBe(32);
    for (const helper of started.slice(2)) helper.answerAll();
    expect(await Promise.all(more)).toEqual(more.map(() => true));
  });

  it('whose process was killed unnoticed, since a thread of it hangs, are taken by another', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] });
    onTestFinished(() => void vi.useRealTimers());
    const { start, started } = heldHelpers();
    const outside = new Outside(start);
    const hung = ask(outside);
    await vi.advanceTimersByTimeAsync(20_000);
    // What it has taken may take as long as it likes.
    expect(started.map(({ ended }) => ended)).toEqual([false]);
    const [killed] = started;
    if (killed === undefined) throw new Error('no process was started');
    killed.deaf = true;
    const late = ask(outside);
    await vi.advanceTimersByTimeAsync(6000);
    expect(started.map(({ ended, lines }) => [ended, lines.length])).toEqual([
      [true, 2],
      [false, 2],
    ]);
    started[1]?.answerAll();
    expect(await Promise.all([hung, late])).toEqual([true, true]);
  });

  it('wait when eight processes are held up, and leave the queue when they are no longer wanted', async () => {
    const { start, started } = heldHelpers();
    const outside = new Outside(start);
    const held = unboundedController();
    const looks = Array.from({ length: 8 * 256 }, () => ask(outside, held.signal));
    const leaving = new AbortController();
    const left = ask(outside, leaving.signal);
    const waiting = ask(outside);
    await expect.poll(() => started.length, PATIENT).toBe(8);
    leaving.abort();
    expect(await left).toBeUndefined();
    held.abort();
    expect(new Set(await Promise.all(looks))).toEqual(new Set([undefined]));
    await expect.poll(() => started[8]?.lines.length).toBe(1);
    started[8]?.answerAll();
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
    let isDead = true;
    class Mounts extends FileSystem {
      override ask: FileSystem['ask'] = (name, takes, signal) => {
        signals.push(signal);
        return isDead ? new Promise(() => {}) : super.ask(name, takes, signal);
      };
    }
    const root = realpathSync(temporaryFolder());
    const roots = new Roots([root], new Mounts(() => Promise.reject(new Error('not needed'))));
    const first = roots.look().states;
    await vi.advanceTimersByTimeAsync(2100);
    expect(await first).toEqual(['silent']);
    // While it is open, nobody waits for it again, and none but the newest is kept. Each holds a thread: they get rarer.
    const begun: number[] = [];
    for (let second = 3; second <= 3600; second += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      const before = signals.length;
      const { states } = roots.look();
      if (signals.length > before) begun.push(second);
      // Its two seconds apart.
      else if (second - (begun.at(-1) ?? 0) > 2) expect(await states).toEqual(['silent']);
    }
    expect(begun.slice(0, 5)).toEqual([15, 46, 107, 228, 469]);
    expect(begun).toHaveLength(17);
    expect(signals.map(({ aborted }) => aborted)).toEqual([...begun.map(() => true), false]);
    isDead = false;
    await vi.advanceTimersByTimeAsync(241_000);
    expect(await roots.look().states).toEqual([{ real: root }]);
  });
});
