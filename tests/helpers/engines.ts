import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { currentPlatform, packagedBinary, platformPackage } from '../../src/engine/find/platform.js';
import { LAUNCHER, temporaryFolder, writeFile } from './files.js';
import { until } from './waiting.js';

/** The installed native engine. */
export const ENGINE = (() => {
  const name = platformPackage(currentPlatform());
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return path.join(path.dirname(manifest), packagedBinary(process.platform));
})();

export type Json = Record<string, unknown>;

/** What the engine itself prints for some arguments, parsed. */
export function askEngine(args: readonly string[], input?: string): { value: Json; text: string } {
  const { stdout } = spawnSync(ENGINE, args, { encoding: 'utf8', input, maxBuffer: 256 * 1024 * 1024 });
  return { value: JSON.parse(stdout), text: stdout.trim() };
}

/** What the engine itself prints for some JSONL records. */
export function askEngineBatch(args: readonly string[], records: readonly Json[]): Json[] {
  const input = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const { stdout } = spawnSync(ENGINE, ['--jsonl', ...args], { encoding: 'utf8', input, maxBuffer: 256 * 1024 * 1024 });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

interface Start {
  readonly pid: number;
  readonly args: string;
}

export interface FakeEngine {
  readonly bin: string;
  /** Every start so far: the process id and the arguments. */
  starts(): Start[];
  /** Resolves once it was started so many times. */
  started(count: number): Promise<void>;
}

/**
 * An executable that answers `--version` as the engine does and runs `script` (POSIX shell) for everything else.
 * Each start is written down, before anything else happens.
 */
export function fakeEngine(script: string, version = 'deckprobe 2.7.0'): FakeEngine {
  const folder = temporaryFolder();
  const log = path.join(folder, 'starts.log');
  const bin = writeFile(
    path.join(folder, 'deckprobe'),
    `#!/bin/sh\nprintf '%s %s\\n' "$$" "$*" >> '${log}'\nif [ "$1" = --version ]; then echo '${version}'; exit 0; fi\n${script}\n`,
    0o755,
  );
  return watched(bin, log);
}

/**
 * {@link fakeEngine} in JavaScript, which runs on Windows too. The program has the arguments as `args` and the tools of
 * {@link PLAY}; `version` is a program as well, and runs for `--version`.
 */
export function playedEngine(program: string, version = `print('deckprobe 2.7.0')`): FakeEngine {
  const folder = temporaryFolder();
  const log = path.join(folder, 'starts.log');
  const code = `const LOG = ${JSON.stringify(log)};\n${PLAY}\nif (args[0] === '--version') {\n${version}\n} else {\n${program}\n}\n`;
  return watched(executable(folder, writeFile(path.join(folder, 'deckprobe.cjs'), code)), log);
}

/** What a played engine ends itself with where it crashes, as a message tells it. */
export const CRASH = process.platform === 'win32' ? /exit status 0xC0000005/ : /ended by SIGSEGV/;

/** A program that crashes. */
export const CRASHES = `
  if (process.platform === 'win32') process.exit(0xc0000005 | 0);
  process.kill(process.pid, 'SIGSEGV');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;

/** All of it waits without the event loop, so that what follows comes later. `becomeEngine()` is the end of a program. */
const PLAY = `
const fs = require('node:fs');
const ENGINE = ${JSON.stringify(ENGINE)};
const args = process.argv.slice(2);
const REPORT = '{"schema_version":2,"tool_version":"2.7.0","status":"ok"}';
const print = (text) => fs.writeSync(1, text + '\\n');
const complain = (text) => fs.writeSync(2, text + '\\n');
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const hang = () => sleep(Infinity);
const ignoreTerm = () => process.on('SIGTERM', () => {});
const crash = () => { ${CRASHES} };
const becomeEngine = () => process.exit(require('node:child_process').spawnSync(ENGINE, args, { stdio: 'inherit' }).status ?? 1);
function* records() {
  const piece = Buffer.alloc(65536);
  let rest = '';
  for (;;) {
    let size = 0;
    try { size = fs.readSync(0, piece); } catch (error) { if (error.code !== 'EOF') throw error; }
    if (size === 0) return;
    const lines = (rest + piece.toString('latin1', 0, size)).split('\\n');
    rest = lines.pop();
    yield* lines;
  }
}
fs.appendFileSync(LOG, process.pid + ' ' + args.join(' ') + '\\n');
`;

/** Makes an executable that runs a program with this Node, in a folder that is there. On Windows it is the launcher, which reads what to run beside itself. */
export function executable(folder: string, program: string, name = 'deckprobe'): string {
  const command = `"${process.execPath}" "${program}"`;
  if (process.platform !== 'win32')
    return writeFile(path.join(folder, name), `#!/bin/sh\nexec ${command} "$@"\n`, 0o755);
  writeFile(path.join(folder, `${name}.command`), Buffer.from(command, 'utf16le'));
  const bin = path.join(folder, `${name}.exe`);
  copyFileSync(LAUNCHER, bin);
  return bin;
}

function watched(bin: string, log: string): FakeEngine {
  const starts = () =>
    (existsSync(log) ? readFileSync(log, 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ pid: Number.parseInt(line, 10), args: line.slice(line.indexOf(' ') + 1) }));
  return {
    bin,
    starts,
    started: (count) =>
      until(
        () => starts().length >= count,
        () => `${starts().length} of ${count} starts of the engine`,
      ),
  };
}

/** A report as small as the server takes for one. */
export const TINY_REPORT = '{"schema_version":2,"tool_version":"2.7.0","status":"ok"}';

/** Whether a process exists. One that has ended but is not waited for yet (a zombie) does not, where that can be told. */
function isAlive(pid: number): boolean {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

/** Resolves once none of the processes exists; fails after a minute, naming those that do. */
export async function allGone(pids: readonly number[]): Promise<void> {
  const alive = () => pids.filter(isAlive);
  await until(
    () => alive().length === 0,
    () => `processes still there: ${alive().join(', ')}`,
  );
}
