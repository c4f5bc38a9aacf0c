import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../src/engine/run/process.js';
import { failureOf, manualCall, startEngine } from '../helpers/engine-under-test.js';
import { allGone, fakeEngine, playedEngine, TINY_REPORT } from '../helpers/engines.js';
import { temporaryFolder, writeFile } from '../helpers/files.js';
import { slowly, until, within } from '../helpers/waiting.js';

describe('misbehaving engines', () => {
  it('shows at most 1 KiB of stderr, on one line, without control characters', async () => {
    const program = `for (let i = 0; i < 300; i++) complain('noise\\x1b[31m\\x07 ' + i + ' é'); complain('LAST'); process.exit(9);`;
    const { probe } = startEngine({ bin: playedEngine(program).bin });
    const { message } = failureOf(await probe());
    const tail = message.slice(message.indexOf('stderr: ') + 8);
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(1024);
    expect(tail).toMatch(/LAST$/);
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  it('one that floods is stopped at the cap, within bounded memory', async () => {
    const fake = playedEngine(`for (;;) print('0'.repeat(65536));`);
    const { probe } = startEngine({ bin: fake.bin });
    const failure = failureOf(await probe());
    expect(failure).toMatchObject({ code: 'MCP_ENGINE_FAILURE', message: expect.stringContaining('more than 16 MiB') });
    await allGone(fake.starts().map(({ pid }) => pid));
  });

  it.each<[string, string]>([
    ['hangs', 'up(); hang();'],
    ['ignores SIGTERM', 'ignoreTerm(); start(); up(); hang();'],
    ['is a launcher that waits for another', `start().on('exit', () => print('done')); up();`],
    ['starts others and hangs', 'start(); start(); start(); up(); hang();'],
    ['closes its output and hangs', 'fs.closeSync(1); fs.closeSync(2); up(); hang();'],
  ])('one that %s is ended at the deadline with all it started', async (_, program) => {
    const up = marker();
    const pids = writeFile(path.join(temporaryFolder(), 'pids'), '');
    const fake = playedEngine(`
      const [PIDS, UP] = ${JSON.stringify([pids, up.file])};
      const up = () => fs.writeFileSync(UP, '');
      const start = () => {
        const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'inherit' });
        fs.appendFileSync(PIDS, child.pid + '\\n');
        return child;
      };
      ${program}`);
    const { probe, log } = startEngine({ bin: fake.bin });
    const call = manualCall();
    const outcome = probe({}, call);
    await up.made();
    const failure = failureOf(
      await within(slowly(2000), () => {
        call.expire();
        return outcome;
      }),
    );
    expect(failure.code).toBe('MCP_TIMEOUT');
    expect(failure.message).toBe(
      "the call's limit of 30000 ms (DECKPROBE_MCP_TIMEOUT_MS) ran out while running the engine",
    );
    expect(log.at(-1)).toMatch(/^MCP_TIMEOUT after \d+ ms, pid \d+, "deck\.pptx"$/);
    await allGone([...fake.starts().map(({ pid }) => pid), ...readFileSync(pids, 'utf8').split('\n').flatMap(toPid)]);
  });

  // Windows has no process groups to leave, macOS no setsid. So for the next one.
  it.runIf(process.platform === 'linux')(
    'one whose child left the process group and holds stdout does not hold the call',
    async () => {
      const pidFile = path.join(temporaryFolder(), 'pid');
      const fake = fakeEngine(
        `setsid sh -c 'echo $$ > ${pidFile}; exec sleep 600' & while ! [ -s ${pidFile} ]; do sleep 0.01; done; echo '${TINY_REPORT}'`,
      );
      const { probe } = startEngine({ bin: fake.bin });
      expect(await within(5000, probe)).toMatchObject({ kind: 'answer', text: TINY_REPORT });
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    },
  );

  it.runIf(process.platform === 'linux')(
    'one that has ended is read to its end, however busy the event loop was',
    async () => {
      // What is printed comes after the end, from a process that left the group.
      const [left, go, done] = [marker(), marker(), marker()];
      const stays = `touch ${left.file}; while ! [ -e ${go.file} ]; do sleep 0.01; done; echo late; touch ${done.file}`;
      const script = `setsid sh -c '${stays}' & while ! [ -e ${left.file} ]; do sleep 0.01; done`;
      let printed = '';
      const onStdout = (chunk: Buffer) => {
        printed += chunk.toString();
        return 0;
      };
      const { signal } = new AbortController();
      const run = startChild({ command: fakeEngine(script).bin, args: [], env: process.env, onStdout }, signal);
      await run.exited;
      // Longer than pipes are waited for, and until all is printed: both are due when the loop goes on.
      const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      writeFile(go.file, '');
      block(300);
      while (!existsSync(done.file)) block(10);
      expect(await run.ended).toMatchObject({ code: 0, stop: undefined });
      expect(printed).toBe('late\n');
    },
  );

  it('one that is stopped again while it is being ended reports the first reason', async () => {
    const up = marker();
    const fake = playedEngine(`ignoreTerm(); fs.writeFileSync(${JSON.stringify(up.file)}, ''); hang();`);
    const spec = { command: fake.bin, args: [], env: process.env, onStdout: () => 0 };
    const controller = new AbortController();
    const run = startChild(spec, controller.signal);
    await up.made();
    run.stop('output');
    run.stop('closed');
    controller.abort('deadline');
    const signal = process.platform === 'win32' ? null : 'SIGKILL';
    expect(await run.ended).toMatchObject({ stop: 'output', signal });
  });

  // Windows has no process groups.
  it.skipIf(process.platform === 'win32')('one that leaves a process of its group behind has it ended', async () => {
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
    const fake = playedEngine(
      `for (const [name, value] of Object.entries(process.env)) complain(name + '=' + value); process.exit(9);`,
    );
    const env = { PATH: process.env.PATH, HOME: '/home/x', LC_ALL: 'C', SECRET_TOKEN: 'hush', NODE_OPTIONS: '--x' };
    const { probe } = startEngine({ bin: fake.bin }, { env });
    const { message } = failureOf(await probe());
    expect(message).toContain('HOME=/home/x');
    expect(message).toContain('LC_ALL=C');
    expect(message).not.toMatch(/SECRET_TOKEN|hush|NODE_OPTIONS/);
  });
});

/** A file that a process makes to say that it has come so far. */
function marker(): { file: string; made(): Promise<void> } {
  const file = path.join(temporaryFolder(), 'made');
  return {
    file,
    made: () =>
      until(
        () => existsSync(file),
        () => 'the process did not come so far',
      ),
  };
}

function toPid(line: string): number[] {
  return line.trim() === '' ? [] : [Number(line)];
}
