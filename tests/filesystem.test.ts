import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../src/config.js';
import { unboundedController } from '../src/engine/call.js';
import { createEngine } from '../src/engine.js';
import { type HelperOptions, Outside, type StartHelper } from '../src/filesystem/outside.js';
import { FileSystem } from '../src/filesystem.js';
import { Neighbours } from '../src/paths/neighbour.js';
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
