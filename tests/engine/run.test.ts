import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../src/engine/run/process.js';
import { failureOf, startEngine } from '../helpers/engine-under-test.js';
import { allGone, fakeEngine, TINY_REPORT } from '../helpers/engines.js';
import { temporaryFolder, writeFile } from '../helpers/files.js';

describe('misbehaving engines', () => {
  it('shows at most 1 KiB of stderr, on one line, without control characters', async () => {
    const script = `i=0; while [ $i -lt 300 ]; do printf 'noise\\033[31m\\a %s é\\n' $i >&2; i=$((i+1)); done; echo LAST >&2; exit 9`;
    const { probe } = startEngine({ bin: fakeEngine(script).bin });
    const { message } = failureOf(await probe());
    const tail = message.slice(message.indexOf('stderr: ') + 8);
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(1024);
    expect(tail).toMatch(/LAST$/);
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  it('one that floods is stopped at the cap, within bounded memory', async () => {
    const fake = fakeEngine(`exec cat /dev/zero`);
    const { probe } = startEngine({ bin: fake.bin });
    const failure = failureOf(await probe());
    expect(failure).toMatchObject({ code: 'MCP_ENGINE_FAILURE', message: expect.stringContaining('more than 64 MiB') });
    await allGone(fake.starts().map(({ pid }) => pid));
  });

  it.each<[string, string]>([
    ['hangs', 'exec sleep 600'],
    ['ignores SIGTERM', `trap '' TERM; sleep 600 & echo $! >> PIDS; while :; do sleep 0.05; done`],
    ['is a launcher script', 'sleep 600 & echo $! >> PIDS; wait; echo done'],
    ['forks into the background and hangs', 'for i in 1 2 3; do sleep 600 & echo $! >> PIDS; done; wait'],
    ['closes its output and hangs', 'exec sleep 600 >&- 2>&-'],
  ])('one that %s is ended at the deadline with all it started', async (_, script) => {
    const pids = writeFile(path.join(temporaryFolder(), 'pids'), '');
    const fake = fakeEngine(script.replaceAll('PIDS', pids));
    const { probe, log } = startEngine({ bin: fake.bin, timeoutMs: 250 });
    const started = performance.now();
    const failure = failureOf(await probe());
    expect(failure.code).toBe('MCP_TIMEOUT');
    expect(failure.message).toBe(
      "the call's limit of 250 ms (DECKPROBE_MCP_TIMEOUT_MS) ran out while running the engine",
    );
    expect(performance.now() - started).toBeLessThan(250 + 1000);
    expect(log.at(-1)).toMatch(/^MCP_TIMEOUT after \d+ ms, pid \d+, "deck\.pptx"$/);
    await allGone([...fake.starts().map(({ pid }) => pid), ...readFileSync(pids, 'utf8').split('\n').flatMap(toPid)]);
  });

  it.runIf(process.platform === 'linux')(
    'one whose child left the process group and holds stdout does not hold the call',
    async () => {
      const folder = temporaryFolder();
      const pidFile = path.join(folder, 'pid');
      const fake = fakeEngine(`setsid sh -c 'echo $$ > ${pidFile}; exec sleep 30' & sleep 0.1; echo '${TINY_REPORT}'`);
      const { probe } = startEngine({ bin: fake.bin });
      const started = performance.now();
      expect(await probe()).toMatchObject({ kind: 'answer', text: TINY_REPORT });
      expect(performance.now() - started).toBeLessThan(5000);
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    },
  );

  it.runIf(process.platform === 'linux')(
    'one that has ended is read to its end, however busy the event loop was',
    async () => {
      // What is printed comes after the end, from a process that left the group.
      const left = path.join(temporaryFolder(), 'left');
      const script = `setsid sh -c 'touch ${left}; sleep 0.3; echo late' & while ! [ -e ${left} ]; do sleep 0.01; done`;
      let printed = '';
      const onStdout = (chunk: Buffer) => {
        printed += chunk.toString();
        return 0;
      };
      const { signal } = new AbortController();
      const run = startChild({ command: fakeEngine(script).bin, args: [], env: process.env, onStdout }, signal);
      await run.exited;
      // Longer than pipes are waited for, and than the print takes: both are due when the loop goes on.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
      expect(await run.ended).toMatchObject({ code: 0, stop: undefined });
      expect(printed).toBe('late\n');
    },
  );

  it('one that is stopped again while it is being ended reports the first reason', async () => {
    const fake = fakeEngine(`trap '' TERM; while :; do sleep 0.05; done`);
    const spec = { command: fake.bin, args: [], env: process.env, onStdout: () => 0 };
    const controller = new AbortController();
    const run = startChild(spec, controller.signal);
    await expect.poll(() => fake.starts().length).toBe(1);
    run.stop('output');
    run.stop('closed');
    controller.abort('deadline');
    expect(await run.ended).toMatchObject({ stop: 'output', signal: 'SIGKILL' });
  });

  it('one that leaves a process of its group behind has it ended', async () => {
    const folder = temporaryFolder();
    const pidFile = path.join(folder, 'pid');
    const fake = fakeEngine(`sleep 600 >&- 2>&- & echo $! > ${pidFile}; echo '${TINY_REPORT}'`);
    const { probe } = startEngine({ bin: fake.bin });
    expect(await probe()).toMatchObject({ kind: 'answer' });
    await allGone([Number(readFileSync(pidFile, 'utf8'))]);
  });
});

describe('the environment of an engine', () => {
  it('leaves the environment of the host behind', async () => {
    const fake = fakeEngine('env >&2; exit 9');
    const env = { PATH: process.env.PATH, HOME: '/home/x', LC_ALL: 'C', SECRET_TOKEN: 'hush', NODE_OPTIONS: '--x' };
    const { probe } = startEngine({ bin: fake.bin }, { env });
    const { message } = failureOf(await probe());
    expect(message).toContain('HOME=/home/x');
    expect(message).toContain('LC_ALL=C');
    expect(message).not.toMatch(/SECRET_TOKEN|hush|NODE_OPTIONS/);
  });
});

function toPid(line: string): number[] {
  return line.trim() === '' ? [] : [Number(line)];
}
