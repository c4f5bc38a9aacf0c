import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Config, loadConfig } from '../src/config.js';
import { platformPackage } from '../src/engine/find/platform.js';
import { probeFlags } from '../src/engine/flags.js';
import { startChild } from '../src/engine/run/process.js';
import { Semaphore } from '../src/engine/run/semaphore.js';
import type { EngineInput, Outcome, ProbeOptions } from '../src/engine/types.js';
import { createEngine, type Engine, type EngineDependencies } from '../src/engine.js';
import type { Failure } from '../src/errors.js';
import { allGone, askEngine, ENGINE, fakeEngine, TINY_REPORT } from './helpers/engines.js';
import { fixture, temporaryFolder, writeFile } from './helpers/files.js';

interface TestEngine {
  readonly engine: Engine;
  readonly log: string[];
  probe(options?: ProbeOptions, signal?: AbortSignal): Promise<Outcome>;
  formats(): Promise<Outcome>;
}

const DECK: EngineInput = { requested: 'deck.pptx', path: fixture('deck.pptx') };

function start(settings: Partial<Config> = {}, dependencies: EngineDependencies = {}): TestEngine {
  const log: string[] = [];
  const engine = createEngine({ ...loadConfig({}), ...settings }, { log: (line) => log.push(line), ...dependencies });
  onTestFinished(() => engine.close());
  return {
    engine,
    log,
    probe: (options = {}, signal = undefined) => {
      const call = engine.startCall(signal);
      return engine.probe(DECK, options, call).finally(() => call.end());
    },
    formats: () => {
      const call = engine.startCall();
      return engine.formats(call).finally(() => call.end());
    },
  };
}

function failureOf(outcome: Outcome): Failure {
  if (outcome.kind !== 'failure') throw new Error(`expected a failure, got ${outcome.text.slice(0, 200)}`);
  return outcome.failure;
}

describe('resolution', () => {
  it('finds the platform package, asks its version once and says so once', async () => {
    const { probe, engine, log } = start();
    await Promise.all([probe(), probe()]);
    await probe();
    expect(engine.version).toBe('2.7.0');
    expect(log).toEqual([expect.stringMatching(/^server 0\.1\.0, engine deckprobe 2\.7\.0 \(package\) at "/)]);
  });

  it('takes the named executable before everything else', async () => {
    const fake = fakeEngine(`echo '${TINY_REPORT}'`);
    const { probe, log } = start({ bin: fake.bin });
    expect(await probe()).toMatchObject({ kind: 'answer', text: TINY_REPORT });
    expect(log[0]).toContain('(override)');
    expect(fake.starts().map(({ args }) => args)).toEqual(['--version', `-- ${DECK.path}`]);
  });

  it.each<[string, () => string, string]>([
    ['a relative path', () => 'bin/deckprobe', 'not absolute'],
    ['a missing file', () => path.join(temporaryFolder(), 'deckprobe'), 'no such file'],
    ['a directory', () => temporaryFolder(), 'not a file'],
    [
      'a file that is not executable',
      () => writeFile(path.join(temporaryFolder(), 'x'), '#!/bin/sh\n'),
      'not executable',
    ],
    ['another program', () => '/bin/echo', 'does not answer --version as deckprobe 2.x but with "echo'],
    ['another major version', () => fakeEngine('', 'deckprobe 3.0.0').bin, '"deckprobe 3.0.0"'],
    ['an executable of another system', foreignExecutable, 'cannot be executed here'],
    ['an executable whose loader is missing', executableWithoutLoader, 'its loader does not'],
    ['one that crashes', () => fakeEngine('', "'; kill -SEGV $$; '").bin, 'SIGSEGV'],
  ])('refuses %s and falls through to no other engine', async (_, bin, reason) => {
    const named = bin();
    const { probe } = start({ bin: named });
    const failure = failureOf(await probe());
    expect(failure.code).toBe('MCP_ENGINE_NOT_FOUND');
    expect(failure.message).toContain(`DECKPROBE_MCP_BIN is ${JSON.stringify(named)}`);
    expect(failure.message).toContain(reason);
  });

  it('falls back to PATH, absolute entries only', async () => {
    const folder = temporaryFolder();
    copyFileSync(ENGINE, path.join(folder, 'deckprobe'));
    const nowhere = pathToFileURL(`${temporaryFolder()}/x.js`).href;
    const found = start({}, { resolveFrom: nowhere, env: { PATH: `relative:${folder}` } });
    expect(await found.probe()).toMatchObject({ kind: 'answer' });
    expect(found.log[0]).toContain(`(path) at ${JSON.stringify(path.join(folder, 'deckprobe'))}`);

    const relative = start({}, { resolveFrom: nowhere, env: { PATH: path.relative(process.cwd(), folder) } });
    expect(failureOf(await relative.probe()).code).toBe('MCP_ENGINE_NOT_FOUND');
  });

  it('finds the platform package below the launcher package, where pnpm puts it', async () => {
    const folder = temporaryFolder();
    const launcher = path.join(folder, 'node_modules', '@deckflow', 'deckprobe');
    const name = platformPackage({ platform: 'linux', arch: process.arch, libc: 'gnu' });
    const nested = path.join(launcher, 'node_modules', String(name));
    writeFile(path.join(launcher, 'package.json'), '{"name":"@deckflow/deckprobe"}');
    writeFile(path.join(nested, 'package.json'), '{}');
    mkdirSync(path.join(nested, 'bin'));
    copyFileSync(ENGINE, path.join(nested, 'bin', 'deckprobe'));
    const { probe, log } = start({}, { resolveFrom: pathToFileURL(`${folder}/dist/engine.js`).href, env: {} });
    expect(await probe()).toMatchObject({ kind: 'answer' });
    expect(log[0]).toContain(JSON.stringify(path.join(nested, 'bin', 'deckprobe')));
  });

  it('passes over a package that does not run, with its reason, and uses PATH', async () => {
    const folder = temporaryFolder();
    const name = platformPackage({ platform: 'linux', arch: process.arch, libc: 'gnu' });
    const installed = path.join(folder, 'node_modules', String(name));
    writeFile(path.join(installed, 'package.json'), '{}');
    writeFile(path.join(installed, 'bin', 'deckprobe'), 'exit 3', 0o755);
    const good = fakeEngine(`echo '${TINY_REPORT}'`);
    const from = pathToFileURL(`${folder}/dist/engine.js`).href;
    const found = start({}, { resolveFrom: from, env: { PATH: path.dirname(good.bin) } });
    expect(await found.probe()).toMatchObject({ kind: 'answer', text: TINY_REPORT });
    expect(found.log[0]).toMatch(/passed over: it does not answer --version as deckprobe 2\.x/);
    expect(found.log[1]).toContain('(path)');

    const none = start({}, { resolveFrom: from, env: {} });
    expect(failureOf(await none.probe()).message).toContain('passed over');
  });

  it('says what is missing, why it may be and what to do, and looks again at the next call', async () => {
    const folder = temporaryFolder();
    const { probe } = start({}, { resolveFrom: pathToFileURL(`${folder}/x.js`).href, env: { PATH: folder } });
    const failure = failureOf(await probe());
    expect(failure.code).toBe('MCP_ENGINE_NOT_FOUND');
    expect(failure.message).toContain(`${process.platform} ${process.arch}`);
    expect(failure.message).toContain('@deckflow/deckprobe-');
    expect(failure.message).toContain('optional dependencies were omitted');
    expect(failure.message).toContain('copied from another platform');
    expect(failure.message).toContain('registry');
    expect(failure.hint).toMatch(/npm install @deckflow\/deckprobe-.*DECKPROBE_MCP_BIN/);
    copyFileSync(ENGINE, path.join(folder, 'deckprobe'));
    expect(await probe()).toMatchObject({ kind: 'answer' });
  });

  it('looks anew when an engine that was found can no longer be started', async () => {
    const fake = fakeEngine(`echo '${TINY_REPORT}'`);
    const { probe } = start({ bin: fake.bin });
    expect(await probe()).toMatchObject({ kind: 'answer' });
    chmodSync(fake.bin, 0o644);
    expect(failureOf(await probe()).message).toContain('could not be started: EACCES');
    expect(failureOf(await probe()).code).toBe('MCP_ENGINE_NOT_FOUND');
    chmodSync(fake.bin, 0o755);
    expect(await probe()).toMatchObject({ kind: 'answer' });
  });
});

describe('flags', () => {
  it('map one to one, in the = form', () => {
    expect(
      probeFlags({
        targets: ['@summary', '--strict'],
        level: 'deep',
        min_confidence: 'low',
        target_confidence: { 'document.title': 'exact', '-x': 'low' },
        view: 'values',
        budget: { max_physical_bytes: 1, max_expanded_bytes: 2, max_archive_entries: 3, timeout_ms: 4 },
      }),
    ).toEqual([
      '--targets=@summary',
      '--targets=--strict',
      '--probe-level=deep',
      '--minimum-confidence=low',
      '--target-confidence=document.title=exact',
      '--target-confidence=-x=low',
      '--view=values',
      '--probe-size=1',
      '--max-expanded-bytes=2',
      '--max-archive-entries=3',
      '--timeout-ms=4',
    ]);
    expect(probeFlags({ view: 'report' })).toEqual([]);
    expect(probeFlags({})).toEqual([]);
  });

  it('are the ones that the engine knows', async () => {
    const { probe } = start();
    const options: ProbeOptions = {
      targets: ['@summary'],
      level: 'deep',
      min_confidence: 'low',
      target_confidence: { 'document.title': 'exact' },
      view: 'values',
      budget: { max_physical_bytes: 1e6, max_expanded_bytes: 1e6, max_archive_entries: 1e3, timeout_ms: 1e3 },
    };
    const outcome = await probe(options);
    expect(outcome).toMatchObject({ kind: 'answer', value: { status: 'partial', view: 'values' } });
    expect(outcome).toEqual({ kind: 'answer', ...askEngine([...probeFlags(options), '--', DECK.path]) });
  });
});

describe('answers', () => {
  it("are the engine's own, reports and error envelopes alike", async () => {
    const { engine } = start();
    for (const name of ['deck.pptx', 'corrupt.pdf', 'no-such-file.pdf', '.']) {
      const call = engine.startCall();
      const input = { requested: name, path: fixture(name) };
      expect(await engine.probe(input, {}, call)).toEqual({ kind: 'answer', ...askEngine(['--', fixture(name)]) });
      call.end();
    }
  });

  it('route and display by the requested name, and echo the requested path', async () => {
    const folder = temporaryFolder();
    const blob = path.join(folder, 'blob');
    copyFileSync(fixture('deck.pptx'), blob);
    const { engine } = start();
    const call = engine.startCall();
    const named = await engine.probe({ requested: 'x/Deck.pptx', path: blob, name: 'Deck.pptx' }, {}, call);
    expect(named).toMatchObject({ kind: 'answer', value: { status: 'ok', input: { display_name: 'Deck.pptx' } } });
    const wrong = await engine.probe({ requested: 'x/Deck.docx', path: blob, name: 'Deck.docx' }, {}, call);
    expect(wrong).toMatchObject({ value: { error: { code: 'MALFORMED_INPUT' }, input: { path: 'x/Deck.docx' } } });
    call.end();
  });
});

describe('misbehaving engines', () => {
  it.each<[string, string, RegExp]>([
    ['prints nothing', 'exit 0', /exit status 0 and printed no output/],
    ['prints junk', 'echo hello', /exit status 0 and printed 6 bytes that are not one JSON object/],
    ['prints half an answer', `printf '{"status":"ok"'`, /14 bytes that are not one JSON object/],
    ['prints two answers', `echo '${TINY_REPORT}'; echo '${TINY_REPORT}'`, /not one JSON object/],
    ['prints an array', 'echo []', /not one JSON object/],
    ['crashes after an answer', `echo '${TINY_REPORT}'; kill -SEGV $$`, /ended by SIGSEGV/],
    ['panics', 'echo "thread main panicked" >&2; exit 101', /exit status 101; stderr: thread main panicked/],
  ])('one that %s is an engine failure', async (_, script, message) => {
    const { probe, log } = start({ bin: fakeEngine(script).bin });
    const failure = failureOf(await probe());
    expect(failure.code).toBe('MCP_ENGINE_FAILURE');
    expect(failure.message).toMatch(message);
    expect(log.at(-1)).toMatch(/^MCP_ENGINE_FAILURE .* after \d+ ms, pid \d+, "deck\.pptx"$/s);
  });

  it('shows at most 1 KiB of stderr, on one line, without control characters', async () => {
    const script = `i=0; while [ $i -lt 300 ]; do printf 'noise\\033[31m\\a %s é\\n' $i >&2; i=$((i+1)); done; echo LAST >&2; exit 9`;
    const { probe } = start({ bin: fakeEngine(script).bin });
    const { message } = failureOf(await probe());
    const tail = message.slice(message.indexOf('stderr: ') + 8);
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(1024);
    expect(tail).toMatch(/LAST$/);
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  it('one that floods is stopped at the cap, within bounded memory', async () => {
    const fake = fakeEngine(`exec cat /dev/zero`);
    const { probe } = start({ bin: fake.bin });
    const failure = failureOf(await probe());
    expect(failure).toMatchObject({ code: 'MCP_ENGINE_FAILURE', message: expect.stringContaining('more than 16 MiB') });
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
    const { probe, log } = start({ bin: fake.bin, timeoutMs: 250 });
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
      const { probe } = start({ bin: fake.bin });
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
    const { probe } = start({ bin: fake.bin });
    expect(await probe()).toMatchObject({ kind: 'answer' });
    await allGone([Number(readFileSync(pidFile, 'utf8'))]);
  });

  it('the server goes on answering after each of them', async () => {
    const fake = fakeEngine(`case "$*" in *corrupt*) kill -KILL $$;; *) echo '${TINY_REPORT}';; esac`);
    const { engine, probe } = start({ bin: fake.bin, maxConcurrency: 1 });
    for (let round = 0; round < 3; round += 1) {
      const call = engine.startCall();
      const crash = await engine.probe({ requested: 'c', path: fixture('corrupt.pdf') }, {}, call);
      call.end();
      expect(failureOf(crash).message).toContain('SIGKILL');
      expect(await probe()).toMatchObject({ kind: 'answer' });
    }
  });
});

describe('arguments', () => {
  it('reach the engine byte for byte', async () => {
    const fake = fakeEngine(`for arg; do printf '%s|' "$arg" >&2; done; exit 9`);
    const { probe } = start({ bin: fake.bin });
    const targets = ['a b', "it's", '$(id)', '`id`', 'x;y', '*', 'Ü', '--help', 'a,b', '"q"'];
    const { message } = failureOf(await probe({ targets }));
    expect(message).toContain(`${targets.map((target) => `--targets=${target}`).join('|')}|--|${DECK.path}|`);
  });

  it('that are longer than the operating system takes are an invalid argument', async () => {
    const { probe } = start();
    const failure = failureOf(await probe({ targets: Array.from({ length: 200 }, () => 'x'.repeat(32_000)) }));
    expect(failure).toMatchObject({ code: 'MCP_INVALID_ARGUMENT', message: expect.stringContaining('E2BIG') });
    expect(await probe()).toMatchObject({ kind: 'answer' });
  });

  it('leave the host environment behind', async () => {
    const fake = fakeEngine('env >&2; exit 9');
    const env = { PATH: process.env.PATH, HOME: '/home/x', LC_ALL: 'C', SECRET_TOKEN: 'hush', NODE_OPTIONS: '--x' };
    const { probe } = start({ bin: fake.bin }, { env });
    const { message } = failureOf(await probe());
    expect(message).toContain('HOME=/home/x');
    expect(message).toContain('LC_ALL=C');
    expect(message).not.toMatch(/SECRET_TOKEN|hush|NODE_OPTIONS/);
  });
});

describe('slots', () => {
  it('never run more processes than configured, over probes and discovery', async () => {
    const folder = temporaryFolder();
    // Each process counts those alive with it, itself included.
    const fake = fakeEngine(
      `touch ${folder}/$$; ls ${folder} | wc -l >> ${folder}.counts; sleep 0.02; rm ${folder}/$$; echo '${TINY_REPORT}'`,
    );
    const { probe, formats } = start({ bin: fake.bin, maxConcurrency: 2 });
    await Promise.all([...Array.from({ length: 12 }, () => probe()), formats()]);
    const counts = readFileSync(`${folder}.counts`, 'utf8').trim().split('\n').map(Number);
    expect(counts).toHaveLength(13);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });

  it('are held until the process is gone, not until it was told to go', async () => {
    const fake = fakeEngine(`trap '' TERM; echo up >&2; while :; do sleep 0.01; done`);
    const { probe } = start({ bin: fake.bin, maxConcurrency: 1, timeoutMs: 150 });
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

describe('close', () => {
  it('ends running processes and lets queued calls end without one', async () => {
    const fake = fakeEngine('exec sleep 600');
    const { engine, probe } = start({ bin: fake.bin, maxConcurrency: 1 });
    const calls = Promise.all([probe(), probe()]);
    await expect.poll(() => fake.starts().length).toBe(2);
    await engine.close();
    for (const outcome of await calls) expect(failureOf(outcome).message).toContain('shutting down');
    await allGone(fake.starts().map(({ pid }) => pid));
  });
});

/** An ELF header for another machine. */
function foreignExecutable(): string {
  const header = Buffer.from(readFileSync(ENGINE).subarray(0, 4096));
  header.writeUInt16LE(process.arch === 'x64' ? 0xb7 : 0x3e, 18);
  return writeFile(path.join(temporaryFolder(), 'deckprobe'), header, 0o755);
}

/** What a glibc binary looks like on musl: the file is there, its loader is not. */
function executableWithoutLoader(): string {
  const bytes = readFileSync(ENGINE);
  const loader = bytes.indexOf('/lib64/ld-linux');
  bytes.write('/lib64/no-linux', loader);
  return writeFile(path.join(temporaryFolder(), 'deckprobe'), bytes, 0o755);
}

function toPid(line: string): number[] {
  return line.trim() === '' ? [] : [Number(line)];
}
