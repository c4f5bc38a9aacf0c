import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { foreignExecutable } from '../src/engine/find/executable.js';
import { describePlatform, executableName, packagedBinary, platformPackage } from '../src/engine/find/platform.js';
import { describeExitStatus, describeSignal } from '../src/engine/read/exit-status.js';
import { explainSpawnError } from '../src/engine/read/start-error.js';
import { endByTool, type Tool, taskkill } from '../src/engine/run/kill.js';
import { realPathOf } from '../src/filesystem/real-path.js';
import { isInside, isRefusedByText } from '../src/paths/allow-list.js';
import { notFound } from '../src/paths/refusal.js';
import { isDevice, isFullyQualified, isShortName, searchFolders } from '../src/paths/windows.js';
import { PROJECT, temporaryFolder } from './helpers/files.js';

/* What depends on the system, as pure functions of it: these tests say the same on every one. */

describe('engine packages', () => {
  it('names a package for each platform that has one', () => {
    const names = [
      platformPackage({ platform: 'darwin', arch: 'arm64', libc: undefined }),
      platformPackage({ platform: 'darwin', arch: 'x64', libc: undefined }),
      platformPackage({ platform: 'linux', arch: 'arm64', libc: 'gnu' }),
      platformPackage({ platform: 'linux', arch: 'arm64', libc: 'musl' }),
      platformPackage({ platform: 'linux', arch: 'x64', libc: 'gnu' }),
      platformPackage({ platform: 'linux', arch: 'x64', libc: 'musl' }),
      platformPackage({ platform: 'win32', arch: 'x64', libc: undefined }),
    ];
    const { optionalDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(names).toEqual(Object.keys(optionalDependencies).filter((name) => name !== '@deckflow/deckprobe'));
    expect(platformPackage({ platform: 'win32', arch: 'arm64', libc: undefined })).toBeUndefined();
    expect(platformPackage({ platform: 'freebsd', arch: 'x64', libc: undefined })).toBeUndefined();
  });

  it('hold an .exe on Windows, and only an .exe counts on PATH there', () => {
    expect(packagedBinary('win32')).toBe('bin/deckprobe.exe');
    expect(executableName('win32')).toBe('deckprobe.exe');
    for (const platform of ['linux', 'darwin'] as const) {
      expect(packagedBinary(platform)).toBe('bin/deckprobe');
      expect(executableName(platform)).toBe('deckprobe');
    }
  });

  it('are described in words', () => {
    expect(describePlatform({ platform: 'linux', arch: 'x64', libc: 'musl' })).toBe('linux x64 (musl)');
    expect(describePlatform({ platform: 'linux', arch: 'arm64', libc: 'gnu' })).toBe('linux arm64 (glibc)');
    expect(describePlatform({ platform: 'darwin', arch: 'arm64', libc: undefined })).toBe('darwin arm64');
  });
});

describe('executables of other systems', () => {
  const elf = (machine: number) => {
    const header = Buffer.alloc(64);
    header.write('\x7fELF\x02\x01\x01', 'latin1');
    header.writeUInt16LE(machine, 18);
    return header;
  };
  const start = (hex: string) => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(60)]);
  const FILES: Record<string, Buffer> = {
    'Linux x64': elf(0x3e),
    'Linux arm64': elf(0xb7),
    'Linux x86': elf(0x03),
    'Linux Arm': elf(0x28),
    'Linux RISC-V': elf(0xf3),
    macOS: start('cffaedfe'),
    'macOS universal': start('cafebabe'),
    'macOS universal, 64 bits': start('cafebabf'),
    Windows: start('4d5a'),
    script: Buffer.from('#!/bin/sh\nexit 0 # and some more\n'),
    short: Buffer.from('x'),
  };

  it.each<[NodeJS.Platform, string, string[]]>([
    ['linux', 'x64', ['Linux x64', 'Linux x86', 'script', 'short']],
    ['linux', 'arm64', ['Linux arm64', 'Linux Arm', 'script', 'short']],
    ['darwin', 'arm64', ['macOS', 'macOS universal', 'macOS universal, 64 bits', 'script', 'short']],
    ['win32', 'x64', ['Windows', 'script', 'short']],
  ])('are told by their headers on %s %s', (platform, arch, native) => {
    for (const [name, bytes] of Object.entries(FILES)) {
      const foreign = foreignExecutable(bytes, name, { platform, arch, formats: [] });
      expect(foreign === undefined, `${name}: ${foreign}`).toBe(native.includes(name));
    }
  });
});

describe('executables that Linux runs through an interpreter', () => {
  const header = Buffer.alloc(256);
  header.write('\x7fELF\x02\x01\x01\x00', 'latin1');
  // An executable (e_type) for RISC-V (e_machine).
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(0xf3, 18);
  const qemu = (lines: Record<string, string>, state = 'enabled') =>
    [state, ...Object.entries(lines).map(([key, value]) => `${key} ${value}`), ''].join('\n');
  const MAGIC = '7f454c460201010000000000000000000200f300';
  const MASK = 'ffffffffffffff00fffffffffffffffffeffffff';

  it.each<[string, string[], boolean]>([
    ['an entry that matches', [qemu({ interpreter: '/q', flags: 'F', offset: '0', magic: MAGIC, mask: MASK })], true],
    ['one without a mask', [qemu({ interpreter: '/q', flags: '', offset: '18', magic: 'f300' })], true],
    ['one by the extension', [qemu({ interpreter: '/q', flags: '', extension: '.riscv' })], true],
    ['one that is disabled', [qemu({ interpreter: '/q', offset: '0', magic: MAGIC, mask: MASK }, 'disabled')], false],
    ['one for another machine', [qemu({ interpreter: '/q', offset: '18', magic: 'b700' })], false],
    ['one for another extension', [qemu({ interpreter: '/q', extension: '.jar' })], false],
    ['one without a magic', [qemu({ interpreter: '/q' })], false],
    ['none', [], false],
  ])('%s', (_, formats, isRun) => {
    const foreign = foreignExecutable(header, '/opt/deckprobe.riscv', { platform: 'linux', arch: 'x64', formats });
    expect(foreign === undefined).toBe(isRun);
    if (!isRun) expect(foreign).toContain('ELF machine 243');
  });

  it('Windows and macOS programs, too', () => {
    const windows = Buffer.concat([Buffer.from('4d5a', 'hex'), Buffer.alloc(254)]);
    const wine = qemu({ interpreter: '/usr/bin/wine', flags: '', offset: '0', magic: '4d5a' });
    const machine = { platform: 'linux', arch: 'x64' } as const;
    expect(foreignExecutable(windows, 'd', { ...machine, formats: [wine] })).toBeUndefined();
    expect(foreignExecutable(windows, 'd', { ...machine, formats: [] })).toBe('a Windows executable');
  });
});

describe('Windows', () => {
  it('ends a process tree by its system tool', () => {
    expect(taskkill(42, { SystemRoot: 'D:\\Win' })).toEqual({
      command: 'D:\\Win\\System32\\taskkill.exe',
      args: ['/PID', '42', '/T', '/F'],
    });
  });

  it.each<[string, Tool]>([
    ['reports an error', { command: process.execPath, args: ['-e', 'process.exit(1)'] }],
    ['is missing', { command: path.join(PROJECT, 'no-such-tool.exe'), args: [] }],
    ['is such that spawn throws', { command: process.execPath, args: ['\0'] }],
  ])('ends the process by its own handle when the tool %s', async (_, tool) => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    endByTool(child, tool);
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
  });

  it('leaves the process to a tool that reports success', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.on("end", () => process.exit(7)).resume()']);
    const tool = { command: process.execPath, args: ['-e', ''] };
    const handle = { kill: () => child.kill('SIGKILL') };
    endByTool(handle, tool);
    // As long again as the tool takes.
    await once(spawn(process.execPath, ['-e', '']), 'exit');
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([7, null]);
  });
});

describe('paths that mean the same wherever the server was started', () => {
  it.each([
    'C:\\docs',
    'c:/docs',
    'C:\\',
    '\\\\host\\share',
    '//host/share/docs',
    '\\\\?\\C:\\docs',
    '\\\\?\\UNC\\host\\share\\docs',
  ])('on Windows: %s', (value) => {
    expect(isFullyQualified(value, path.win32)).toBe(true);
  });

  it.each([
    '\\docs',
    '/docs',
    '/',
    '\\',
    'C:',
    'C:docs',
    'docs',
    '\\\\host',
    '\\??\\C:\\docs',
    '\\\\.\\C:\\docs',
    '\\\\.\\pipe\\x',
    'C:\\NUL',
    '"C:\\docs"',
    '',
  ])('on Windows, not so: %s', (value) => {
    expect(isFullyQualified(value, path.win32)).toBe(false);
  });

  it('on POSIX: all that begin with a slash', () => {
    const values = ['/', '/docs', '//host', 'docs', './docs', '', '~', 'C:\\docs'];
    expect(values.filter((value) => isFullyQualified(value, path.posix))).toEqual(['/', '/docs', '//host']);
  });

  it.each<[string, string[]]>([
    ['C:\\a;D:\\b', ['C:\\a', 'D:\\b']],
    ['"C:\\a"', ['C:\\a']],
    ['C:\\a;"D:\\b c\\";E:\\', ['C:\\a', 'D:\\b c\\', 'E:\\']],
    ['"C:\\a;b";D:\\', ['C:\\a;b', 'D:\\']],
    ['C:\\"a b"\\c', ['C:\\a b\\c']],
    ['"C:\\open', ['C:\\open']],
    ['\\a;/b;c;.;;"";C:d', []],
    ['', []],
  ])('are taken from PATH on Windows: %s', (value, folders) => {
    expect(searchFolders({ Path: value }, path.win32)).toEqual(folders);
  });

  it('are taken from PATH on POSIX, where a quote is a character like any other', () => {
    expect(searchFolders({ PATH: '/a:b::/c;d:"/e":/f"', Path: '/g' }, path.posix)).toEqual(['/a', '/c;d', '/f"']);
  });
});

describe('devices of Windows', () => {
  it.each([
    '\\\\.\\CON',
    '\\\\.\\NUL\\',
    '//./pipe/x',
    '\\\\.\\C:\\docs\\a.pdf',
    '\\\\?\\GLOBALROOT\\Device\\Null',
    '\\\\?\\Volume{1}\\a.pdf',
    '\\\\?\\UNC\\host',
    '\\\\?\\C:',
    'C:\\docs\\NUL',
    'C:\\docs\\nul.x.pdf',
    'C:\\docs\\COM1.pdf',
    'C:\\docs\\com9',
    'C:\\docs\\LPT\u00b2.docx',
    'C:\\docs\\COM\u00b9.pdf',
    'C:\\docs\\Aux .pdf',
    'C:\\docs\\PRN:stream',
    'C:\\docs\\conin$',
    '\\\\host\\share\\CON.pdf',
    '\\\\?\\C:\\docs\\COM1.pdf',
  ])('%s is one', (value) => {
    expect(isDevice(value, path.win32)).toBe(true);
    expect(isDevice(value, path.posix)).toBe(false);
  });

  it.each([
    'C:\\docs\\COM10.pdf',
    'C:\\docs\\COM0.pdf',
    'C:\\docs\\CONTRACT.pdf',
    'C:\\docs\\nullable.pdf',
    'C:\\docs\\a.COM1.pdf',
    'C:\\docs\\con-1.pdf',
    'C:\\aux\\a.pdf',
    '\\\\host\\share\\a.pdf',
    '\\\\?\\C:\\docs\\a.pdf',
    '\\\\?\\UNC\\host\\share\\a.pdf',
  ])('%s is none', (value) => {
    expect(isDevice(value, path.win32)).toBe(false);
  });
});

describe('why an engine did not start or crashed', () => {
  it.each<[string, string, NodeJS.Platform, string]>([
    ['EINVAL', 'C:\\e\\deckprobe.CMD', 'win32', 'EINVAL: a .cmd script needs a shell'],
    ['EINVAL', 'C:\\e\\deckprobe.bat', 'win32', 'name the deckprobe.exe that it starts'],
    ['ENOENT', 'C:\\e.d\\deckprobe', 'win32', 'Windows starts no file without an extension'],
    ['ENOENT', 'C:\\e\\deckprobe.exe', 'win32', 'ENOENT: the file is missing'],
    ['EPERM', 'C:\\e\\deckprobe.exe', 'win32', 'Windows denies to start the file'],
    ['EACCES', 'C:\\e\\deckprobe.exe', 'win32', 'Windows denies to start the file'],
    ['UNKNOWN', 'C:\\e\\deckprobe.exe', 'win32', 'UNKNOWN: the file cannot be executed here'],
    ['ENOENT', '/e/deckprobe', 'linux', 'built for another C library'],
    ['EACCES', '/e/deckprobe', 'linux', 'noexec'],
    ['ENOEXEC', '/e/deckprobe', 'linux', 'built for another architecture or system'],
    ['Unknown system error -86', '/e/deckprobe', 'darwin', 'EBADARCH: the file cannot be executed here'],
    ['Unknown system error -88', '/e/deckprobe', 'darwin', 'EBADMACHO: the file cannot be executed here'],
    [
      'EBADARCH',
      '/e/deckprobe',
      'darwin',
      'EBADARCH: the file cannot be executed here (built for another architecture',
    ],
  ])('%s of %s on %s: %s', (code, file, platform, words) => {
    expect(explainSpawnError(code, file, platform)).toContain(words);
  });

  it('no C library is blamed on Windows, and an unknown code is left to its own message', () => {
    for (const file of ['C:\\deckprobe', 'C:\\deckprobe.exe'])
      expect(explainSpawnError('ENOENT', file, 'win32')).not.toContain('C library');
    expect(explainSpawnError('EINVAL', 'C:\\deckprobe.exe', 'win32')).toBeUndefined();
    expect(explainSpawnError('EPERM', '/deckprobe', 'linux')).toBeUndefined();
    expect(explainSpawnError(undefined, '/deckprobe', 'linux')).toBeUndefined();
    expect(explainSpawnError('Unknown system error -86', '/deckprobe', 'linux')).toBeUndefined();
  });

  it.each<[number | null, string]>([
    [101, 'exit status 101'],
    [0x7fffffff, 'exit status 2147483647'],
    [0x80000000, 'exit status 0x80000000'],
    [
      3221225781,
      'exit status 0xC0000135 (a DLL that it needs is missing: install the Microsoft Visual C++ Redistributable (x64))',
    ],
    [3221225477, 'exit status 0xC0000005 (an access violation)'],
    [3221226505, 'exit status 0xC0000409 (it ended itself over damage to its memory or a panic)'],
    [null, 'exit status null'],
  ])('exit status %s is described as %s', (code, words) => {
    expect(describeExitStatus(code)).toBe(words);
  });
});

describe('a path of Windows that leads nowhere', () => {
  it.each<[NodeJS.Platform, string]>([
    ['darwin', 'That is a Windows path, and this server runs on macOS'],
    ['linux', 'That is a Windows path, and this server runs on Linux'],
    ['win32', 'Check the spelling'],
  ])('is one of another system, but on Windows itself: %s', (platform, words) => {
    const { hint } = notFound('C:\\a.pdf', { absolute: '/C:\\a.pdf', resolvedFrom: undefined }, undefined, platform);
    expect(hint).toContain(words);
  });
});

describe('what is missing', () => {
  it.each<NodeJS.Platform>(['darwin', 'win32', 'linux'])(
    'has the real path of what exists of it: %s',
    async (platform) => {
      const folder = temporaryFolder();
      for (const missing of [
        ['gone.pdf'],
        ['gone', 'and gone', 'a.pdf'],
        ['..', path.basename(folder), 'x', 'a.pdf'],
      ]) {
        const asked = [folder, ...missing].join(path.sep);
        expect(await realPathOf(asked, platform)).toEqual({ real: path.join(folder, ...missing), isFollowed: false });
      }
      const nowhere = path.join(path.parse(folder).root, 'no such folder', 'a.pdf');
      expect(await realPathOf(nowhere, platform)).toEqual({ real: nowhere, isFollowed: false });
    },
  );
});

describe('an engine that was killed', () => {
  it('is said to be in quarantine, perhaps, on macOS only', () => {
    expect(describeSignal('SIGKILL', 'darwin')).toMatch(/^SIGKILL \(.*quarantine/);
    expect([describeSignal('SIGSEGV', 'darwin'), describeSignal('SIGKILL', 'linux')]).toEqual(['SIGSEGV', 'SIGKILL']);
  });
});

describe('short names of Windows', () => {
  it('are told from others', () => {
    const names = ['LETTER~1.DOC', 'LETT~UCH.DOC', 'a~1', 'AB12~1.P', '~1.pdf'];
    const others = ['letter.doc', 'a long name~1.doc', 'LETTER~1.DOCX', '~$letter.docx', 'a.b~1', 'a~1.b.c'];
    expect([...names, ...others].filter((name) => isShortName(name, path.win32))).toEqual(names);
    expect(names.filter((name) => isShortName(name, path.posix))).toEqual([]);
  });
});

describe('the comparison of paths', () => {
  it.each<[string, string, boolean]>([
    ['/a/b', '/a/b', true],
    ['/a/b', '/a/b/c.pdf', true],
    ['/a/b/', '/a/b/c.pdf', true],
    ['/a/b', '/a/b/', true],
    ['/', '/a', true],
    ['/a/b', '/a/bc', false],
    ['/a/b', '/a', false],
    ['/a/b', '/a/B/c', false],
    ['/a/b', '/a/b/../c', false],
    ['/a/b', '/x/a/b', false],
  ])('on POSIX: root %s, path %s: %s', (root, target, expected) => {
    expect(isInside(root, target, path.posix)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['C:\\Docs', 'C:\\Docs\\a.pdf', true],
    ['C:\\Docs', 'c:\\Docs\\a.pdf', true],
    ['c:\\Docs\\', 'C:\\Docs', true],
    ['C:\\', 'C:\\Docs\\a.pdf', true],
    ['C:/Docs', 'C:\\Docs\\sub\\a.pdf', true],
    ['C:\\Docs', '\\\\?\\C:\\Docs\\a.pdf', true],
    ['\\\\host\\share', '\\\\HOST\\Share\\a.pdf', true],
    ['\\\\host\\share', '\\\\?\\UNC\\host\\share\\a.pdf', true],
    ['C:\\Docs', 'D:\\Docs\\a.pdf', false],
    ['C:\\Docs', 'C:\\Docs2\\a.pdf', false],
    ['C:\\Docs', 'C:\\docs\\a.pdf', false],
    ['C:\\Docs', 'C:\\Docs\\..\\a.pdf', false],
    ['C:\\Docs', '\\\\host\\C$\\Docs\\a.pdf', false],
    ['\\\\host\\share', '\\\\host\\share2\\a.pdf', false],
    ['\\\\host\\share', '\\\\other\\share\\a.pdf', false],
    ['\\\\host\\share\\sub', '\\\\host\\share\\a.pdf', false],
  ])('on Windows: root %s, path %s: %s', (root, target, expected) => {
    expect(isInside(root, target, path.win32)).toBe(expected);
  });

  it.each<[string[], string, boolean]>([
    [['C:\\Docs'], '\\\\host\\share\\a.pdf', true],
    [['C:\\Docs'], '//host/share/a.pdf', true],
    [['C:\\Docs'], '\\\\?\\C:\\Docs\\a.pdf', false],
    [['C:\\Docs'], '\\\\.\\C:\\Docs\\a.pdf', true],
    [['C:\\Docs'], '\\\\.\\pipe\\x', true],
    [['C:\\Docs'], '\\\\?\\UNC\\host\\share\\a.pdf', true],
    [['C:\\Docs'], '\\\\?\\GLOBALROOT\\Device\\x', true],
    [['\\\\host\\share'], '\\\\other\\share\\a.pdf', true],
    [['\\\\host\\share'], '\\\\?\\UNC\\other\\share\\a.pdf', true],
    [['\\\\?\\UNC\\host\\share'], '\\\\?\\UNC\\other\\share\\a.pdf', true],
    [['\\\\host\\share'], '\\\\host\\share2\\a.pdf', true],
    [['C:\\Docs', '\\\\host\\share\\sub'], '\\\\HOST\\share\\a.pdf', false],
    [['\\\\host\\share'], '\\\\?\\UNC\\host\\share\\a.pdf', false],
    [['C:\\Docs'], 'D:\\a.pdf', false],
    [['C:\\Docs'], 'C:\\Docs\\a.pdf', false],
  ])('on Windows, by text alone: roots %j, path %s: %s', (roots, target, refused) => {
    expect(isRefusedByText(roots, target, path.win32)).toBe(refused);
  });

  it('has nothing to refuse by text on POSIX', () => {
    expect(isRefusedByText(['/a'], '//host/share', path.posix)).toBe(false);
  });
});
