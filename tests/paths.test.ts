import { mkdirSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import type { CheckedInput } from '../src/engine/types.js';
import { canLink, fixture, HOME, temporaryFolder, writeFile } from './helpers/files.js';
import { checkPath } from './helpers/paths-under-test.js';

async function codeOf(checked: Promise<CheckedInput>): Promise<string> {
  const result = await checked;
  return 'failure' in result ? result.failure.code : `ok ${result.input.path}`;
}

describe('checkPath without roots', () => {
  it('takes absolute paths, home paths, file URLs and relative paths', async () => {
    const deck = fixture('deck.pptx');
    const home = temporaryFolder();
    vi.stubEnv(HOME, home);
    const inHome = writeFile(path.join(home, 'sub', 'a.pdf'), '');
    expect(homedir()).toBe(home);
    for (const [requested, expected] of [
      [deck, deck],
      [path.relative(process.cwd(), deck), deck],
      [pathToFileURL(deck).href, deck],
      [pathToFileURL(deck).href.replace('file:', 'FILE:'), deck],
      [pathToFileURL(deck).href.replace('file://', 'file://localhost'), deck],
      ['~/sub/a.pdf', inHome],
      [path.join(path.dirname(deck), '..', 'fixtures', 'deck.pptx'), deck],
      [path.dirname(deck), path.dirname(deck)],
    ] as const) {
      expect(await checkPath(requested), requested).toEqual({ input: { requested, path: expected } });
    }
    vi.unstubAllEnvs();
  });

  it('decodes file URLs, and takes everything else literally', async () => {
    const folder = temporaryFolder();
    const names = [
      'a b.pdf',
      'a%20b.pdf',
      '50%.pdf',
      'a,b.pdf',
      "it's $(x) `y`.pdf",
      // Windows has no such name.
      ...(process.platform === 'win32' ? [] : ['*.pdf']),
      'Übersicht.pdf',
      '--help',
      '-',
    ];
    for (const name of names) {
      const file = writeFile(path.join(folder, name), '');
      expect(await codeOf(checkPath(file)), name).toBe(`ok ${file}`);
      expect(await codeOf(checkPath(pathToFileURL(file).href)), name).toBe(`ok ${file}`);
    }
  });

  it('says where it looked for a missing file', async () => {
    const missing = path.join(temporaryFolder(), 'nope.pdf');
    expect(await checkPath(missing)).toEqual({
      failure: {
        code: 'MCP_PATH_NOT_FOUND',
        message: `there is nothing at ${JSON.stringify(missing)}`,
        hint: expect.stringContaining('absolute path'),
      },
    });
    const relative = await checkPath('no/such.pdf');
    if (!('failure' in relative)) throw new Error('expected a failure');
    expect(relative.failure.message).toContain(JSON.stringify(path.resolve('no/such.pdf')));
    expect(relative.failure.message).toContain(`working directory ${JSON.stringify(process.cwd())}`);
  });

  it.each([
    [
      'a dangling link',
      (folder: string) => (canLink ? symlinkSync(path.join(folder, 'gone'), path.join(folder, 'x')) : undefined),
    ],
    ['a path below a file', (folder: string) => mkdirSync(path.join(folder, 'unused'))],
  ])('calls %s missing', async (_, arrange) => {
    const folder = temporaryFolder();
    arrange(folder);
    const file = writeFile(path.join(folder, 'file'), '');
    expect(await codeOf(checkPath(path.join(folder, 'x')))).toBe('MCP_PATH_NOT_FOUND');
    expect(await codeOf(checkPath(path.join(file, 'x.pdf')))).toBe('MCP_PATH_NOT_FOUND');
  });

  it.runIf(canLink)('leaves every other trouble to the engine', async () => {
    const folder = temporaryFolder();
    const loop = path.join(folder, 'loop.pdf');
    symlinkSync(loop, loop);
    expect(await codeOf(checkPath(loop))).toBe(`ok ${loop}`);
    const long = path.join(folder, `${'n'.repeat(300)}.pdf`);
    expect(await codeOf(checkPath(long))).toBe(`ok ${long}`);
  });

  it.each<[string, string]>([
    ['', 'empty'],
    ['/a\0b', 'NUL'],
    [`${pathToFileURL(path.resolve('/a')).href}%00b`, 'NUL'],
    [`/${'x'.repeat(40_000)}`, '40001 characters'],
    ['/a\ud800.pdf', 'well-formed'],
    // On Windows that is a share.
    ...(process.platform === 'win32'
      ? []
      : [['file://elsewhere/a.pdf', 'not a file URL of this machine'] as [string, string]]),
    ['file:///a%2Fb.pdf', 'not a file URL of this machine'],
  ])('refuses %j as an argument', async (requested, words) => {
    const checked = await checkPath(requested);
    if (!('failure' in checked)) throw new Error('expected a failure');
    expect(checked.failure.code).toBe('MCP_INVALID_ARGUMENT');
    expect(checked.failure.message).toContain(words);
  });
});

describe('checkPath with roots', () => {
  it.runIf(canLink)('reads inside and refuses outside, by segments of real paths', async () => {
    const folder = temporaryFolder();
    const root = path.join(folder, 'root');
    const inside = writeFile(path.join(root, 'sub', 'a.pdf'), '');
    const sibling = writeFile(path.join(folder, 'root-2', 'a.pdf'), '');
    symlinkSync(sibling, path.join(root, 'link.pdf'));
    symlinkSync(root, path.join(folder, 'alias'));
    expect(await codeOf(checkPath(inside, [root]))).toBe(`ok ${inside}`);
    expect(await codeOf(checkPath(inside, [path.join(folder, 'alias')]))).toBe(`ok ${inside}`);
    expect(await codeOf(checkPath(sibling, [root]))).toBe('MCP_PATH_NOT_ALLOWED');
    expect(await codeOf(checkPath(path.join(root, 'link.pdf'), [root]))).toBe('MCP_PATH_NOT_ALLOWED');
    expect(await codeOf(checkPath(path.join(root, '..', 'gone.pdf'), [root]))).toBe('MCP_PATH_NOT_ALLOWED');
  });

  it.runIf(canLink)('keeps the requested name where the real one differs', async () => {
    const root = temporaryFolder();
    const blob = writeFile(path.join(root, 'blob'), '');
    symlinkSync(blob, path.join(root, 'Deck.pptx'));
    const requested = path.join(root, 'Deck.pptx');
    expect(await checkPath(requested, [root])).toEqual({ input: { requested, path: blob, name: 'Deck.pptx' } });
  });
});
