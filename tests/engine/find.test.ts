import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { currentPlatform, executableName, packagedBinary, platformPackage } from '../../src/engine/find/platform.js';
import { DECK, failureOf, startEngine } from '../helpers/engine-under-test.js';
import { ENGINE, executable, playedEngine, TINY_REPORT } from '../helpers/engines.js';
import { temporaryFolder, writeFile } from '../helpers/files.js';

const EXECUTABLE = executableName(process.platform);
/** What a package holds. */
const BINARY = packagedBinary(process.platform);

/** What cannot be named as an engine on some systems only: Windows has no permission bits, macOS no loader that is named. */
const ONLY_HERE: [string, () => string, string][] = [];
if (process.platform !== 'win32')
  ONLY_HERE.push([
    'a file that is not executable',
    () => writeFile(path.join(temporaryFolder(), 'x'), '#!/bin/sh\n'),
    'not executable',
  ]);
if (process.platform === 'linux')
  ONLY_HERE.push(['an executable whose loader is missing', executableWithoutLoader, 'its loader does not']);

describe('resolution', () => {
  it('finds the platform package, asks its version once and says so once', async () => {
    const { probe, engine, log } = startEngine();
    await Promise.all([probe(), probe()]);
    await probe();
    expect(engine.version).toBe('2.7.0');
    expect(log).toEqual([expect.stringMatching(/^server 0\.1\.0, engine deckprobe 2\.7\.0 \(package\) at "/)]);
  });

  it('takes the named executable before everything else', async () => {
    const fake = playedEngine(`print(REPORT)`);
    const { probe, log } = startEngine({ bin: fake.bin });
    expect(await probe()).toMatchObject({ kind: 'answer', text: TINY_REPORT });
    expect(log[0]).toContain('(override)');
    expect(fake.starts().map(({ args }) => args)).toEqual(['--version', `-- ${DECK.path}`]);
  });

  it.each<[string, () => string, string]>([
    ['a relative path', () => 'bin/deckprobe', 'not absolute'],
    ['a missing file', () => path.join(temporaryFolder(), EXECUTABLE), 'no such file'],
    ['a directory', () => temporaryFolder(), 'not a file'],
    ['another program', () => process.execPath, 'does not answer --version as deckprobe 2.x but with "v'],
    ['another major version', () => playedEngine('', `print('deckprobe 3.0.0')`).bin, '"deckprobe 3.0.0"'],
    ['an executable of another system', foreignExecutable, 'cannot be executed here'],
    [
      'one that crashes',
      () => playedEngine('', 'crash()').bin,
      process.platform === 'win32' ? '0xC0000005' : 'SIGSEGV',
    ],
    ...ONLY_HERE,
  ])('refuses %s and falls through to no other engine', async (_, bin, reason) => {
    const named = bin();
    const { probe } = startEngine({ bin: named });
    const failure = failureOf(await probe());
    expect(failure.code).toBe('MCP_ENGINE_NOT_FOUND');
    expect(failure.message).toContain(`DECKPROBE_MCP_BIN is ${JSON.stringify(named)}`);
    expect(failure.message).toContain(reason);
  });

  it('falls back to PATH, absolute entries only', async () => {
    const folder = temporaryFolder();
    copyFileSync(ENGINE, path.join(folder, EXECUTABLE));
    const nowhere = pathToFileURL(`${temporaryFolder()}/x.js`).href;
    const found = startEngine({}, { resolveFrom: nowhere, env: { PATH: `relative${path.delimiter}${folder}` } });
    expect(await found.probe()).toMatchObject({ kind: 'answer' });
    expect(found.log[0]).toContain(`(path) at ${JSON.stringify(path.join(folder, EXECUTABLE))}`);

    const relative = startEngine({}, { resolveFrom: nowhere, env: { PATH: path.relative(process.cwd(), folder) } });
    expect(failureOf(await relative.probe()).code).toBe('MCP_ENGINE_NOT_FOUND');
  });

  it('finds the platform package below the launcher package, where pnpm puts it', async () => {
    const folder = temporaryFolder();
    const launcher = path.join(folder, 'node_modules', '@deckflow', 'deckprobe');
    const name = platformPackage(currentPlatform());
    const nested = path.join(launcher, 'node_modules', String(name));
    writeFile(path.join(launcher, 'package.json'), '{"name":"@deckflow/deckprobe"}');
    writeFile(path.join(nested, 'package.json'), '{}');
    mkdirSync(path.join(nested, 'bin'));
    copyFileSync(ENGINE, path.join(nested, BINARY));
    const { probe, log } = startEngine({}, { resolveFrom: pathToFileURL(`${folder}/dist/engine.js`).href, env: {} });
    expect(await probe()).toMatchObject({ kind: 'answer' });
    expect(log[0]).toContain(JSON.stringify(path.join(nested, BINARY)));
  });

  it('passes over a package that does not run, with its reason, and uses PATH', async () => {
    const folder = temporaryFolder();
    const name = platformPackage(currentPlatform());
    const installed = path.join(folder, 'node_modules', String(name));
    writeFile(path.join(installed, 'package.json'), '{}');
    executable(path.join(installed, 'bin'), writeFile(path.join(installed, 'bin', 'ends.cjs'), 'process.exit(3)'));
    const good = playedEngine(`print(REPORT)`);
    const from = pathToFileURL(`${folder}/dist/engine.js`).href;
    const found = startEngine({}, { resolveFrom: from, env: { PATH: path.dirname(good.bin) } });
    expect(await found.probe()).toMatchObject({ kind: 'answer', text: TINY_REPORT });
    expect(found.log[0]).toMatch(/passed over: it does not answer --version as deckprobe 2\.x/);
    expect(found.log[1]).toContain('(path)');

    const none = startEngine({}, { resolveFrom: from, env: {} });
    expect(failureOf(await none.probe()).message).toContain('passed over');
  });

  it('says what is missing, why it may be and what to do, and looks again at the next call', async () => {
    const folder = temporaryFolder();
    const { probe } = startEngine({}, { resolveFrom: pathToFileURL(`${folder}/x.js`).href, env: { PATH: folder } });
    const failure = failureOf(await probe());
    expect(failure.code).toBe('MCP_ENGINE_NOT_FOUND');
    expect(failure.message).toContain(`${process.platform} ${process.arch}`);
    expect(failure.message).toContain('@deckflow/deckprobe-');
    expect(failure.message).toContain('optional dependencies were omitted');
    expect(failure.message).toContain('copied from another platform');
    expect(failure.message).toContain('registry');
    expect(failure.hint).toMatch(/npm install @deckflow\/deckprobe-.*DECKPROBE_MCP_BIN/);
    copyFileSync(ENGINE, path.join(folder, EXECUTABLE));
    expect(await probe()).toMatchObject({ kind: 'answer' });
  });
});

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('a 32-bit engine', () => {
  it('is run where the kernel runs such files', async ({ skip }) => {
    const bin = writeFile(path.join(temporaryFolder(), 'deckprobe'), program32('deckprobe 2.7.0\n'), 0o755);
    const { stdout } = spawnSync(bin, ['--version'], { encoding: 'utf8' });
    if (stdout !== 'deckprobe 2.7.0\n') skip('this kernel does not run 32-bit programs');
    const { probe, engine } = startEngine({ bin });
    // It says the same to everything, which is no report.
    expect(failureOf(await probe()).message).toContain('16 bytes that are not one JSON object');
    expect(engine.version).toBe('2.7.0');
  });
});

/** The smallest program for 32-bit x86 that prints a text: an ELF header, one segment, and two system calls. */
function program32(text: string): Buffer {
  const base = 0x08048000;
  const code = Buffer.from('b804000000bb01000000b900000000ba00000000cd80b80100000031dbcd80', 'hex');
  const at = 52 + 32 + code.length;
  code.writeUInt32LE(base + at, 11);
  code.writeUInt32LE(text.length, 16);
  const size = at + text.length;
  const header = Buffer.alloc(52);
  header.write('\x7fELF\x01\x01\x01', 'latin1');
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(3, 18);
  header.writeUInt32LE(1, 20);
  header.writeUInt32LE(base + 84, 24);
  header.writeUInt32LE(52, 28);
  header.writeUInt16LE(52, 40);
  header.writeUInt16LE(32, 42);
  header.writeUInt16LE(1, 44);
  const segment = Buffer.alloc(32);
  for (const [index, value] of [1, 0, base, base, size, size, 5, 0x1000].entries())
    segment.writeUInt32LE(value, index * 4);
  return Buffer.concat([header, segment, code, Buffer.from(text)]);
}

/** The header of an executable for another machine: of PowerPC on macOS, of Arm on Windows. */
function foreignExecutable(): string {
  const file = path.join(temporaryFolder(), EXECUTABLE);
  if (process.platform === 'darwin') {
    const macho = Buffer.alloc(4096);
    macho.writeUInt32LE(0xfeedfacf, 0);
    macho.writeUInt32LE(0x01000012, 4);
    macho.writeUInt32LE(2, 12);
    return writeFile(file, macho, 0o755);
  }
  if (process.platform === 'win32') {
    const program = readFileSync(ENGINE);
    program.writeUInt16LE(0x01c4, program.readUInt32LE(0x3c) + 4);
    return writeFile(file, program);
  }
  const header = Buffer.from(readFileSync(ENGINE).subarray(0, 4096));
  header.writeUInt16LE(process.arch === 'x64' ? 0xb7 : 0x3e, 18);
  return writeFile(file, header, 0o755);
}

/** What a glibc binary looks like on musl: the file is there, its loader is not. */
function executableWithoutLoader(): string {
  const bytes = readFileSync(ENGINE);
  const loader = bytes.indexOf('/lib64/ld-linux');
  bytes.write('/lib64/no-linux', loader);
  return writeFile(path.join(temporaryFolder(), 'deckprobe'), bytes, 0o755);
}
