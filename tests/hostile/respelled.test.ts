import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileSystem } from '../../src/filesystem.js';
import { mountedDrive, respellings, windowsPath } from '../../src/paths/respelled.js';
import { call, connect } from '../helpers/clients.js';
import { canLink, temporaryFolder, writeFile } from '../helpers/files.js';
import { checkPath } from '../helpers/paths-under-test.js';

/** Paths as hosts, shells and models spell them; each names `My (1) file.pdf` in a folder. */
const SPELLINGS: [string, (folder: string) => string, string][] = [
  ['double quotes', (folder) => `"${file(folder)}"`, 'without the quotes'],
  ['single quotes', (folder) => `'${file(folder)}'`, 'without the quotes'],
  ['typographic quotes', (folder) => `\u201c${file(folder)}\u201d`, 'without the quotes'],
  ['back ticks', (folder) => `\`${file(folder)}\``, 'without the quotes'],
  ['percent signs', (folder) => file(folder, 'My%20%281%29%20file.pdf'), 'with its percent signs decoded'],
  ['white space at the ends', (folder) => ` ${file(folder)}\n`, 'without the white space'],
  ['all at once', (folder) => ` "${file(folder, 'My%20(1) file.pdf')}" `, 'and'],
];
// A backslash of Windows is no shell's.
if (process.platform !== 'win32')
  SPELLINGS.push(
    ['backslashes of a shell', (folder) => `${folder}/My\\ \\(1\\)\\ file.pdf`, 'without the backslashes'],
    ['all at once, from a shell', (folder) => ` "${folder}/My%20\\(1\\) file.pdf" `, 'and'],
  );

function file(folder: string, name = 'My (1) file.pdf'): string {
  return path.join(folder, name);
}

async function ask(requested: string, roots?: string[]) {
  const { client } = await connect(roots ? { roots } : {});
  const { code, hint } = await call(client, 'probe', { path: requested });
  return { code, hint: hint ?? '' };
}

describe('a path with', () => {
  it.each(SPELLINGS)('%s is offered as it is spelled on disk', async (_, spell, difference) => {
    const folder = temporaryFolder();
    const stored = writeFile(file(folder), 'x');
    const { code, hint } = await ask(spell(folder));
    expect(code).toBe('MCP_PATH_NOT_FOUND');
    expect(hint).toContain(`Did you mean ${JSON.stringify(stored)}? It is the path `);
    expect(hint).toContain(difference);
  });

  it.each(SPELLINGS)('%s is offered under roots only if the roots allow it', async (_, spell) => {
    const folder = temporaryFolder();
    const root = path.join(folder, 'root');
    mkdirSync(root);
    const inside = writeFile(file(root), 'x');
    writeFile(file(folder), 'x');
    const allowed = await ask(spell(root), [root]);
    expect(['MCP_PATH_NOT_FOUND', 'MCP_PATH_NOT_ALLOWED']).toContain(allowed.code);
    expect(allowed.hint).toContain(`Did you mean ${JSON.stringify(inside)}?`);
    expect((await ask(spell(folder), [root])).hint).not.toContain('Did you mean');
    if (!canLink) return;
    // A link out has the right spelling, and is not allowed either.
    symlinkSync(file(folder), path.join(root, 'out [1].pdf'));
    expect((await ask(`"${root}/out [1].pdf"`, [root])).hint).not.toContain('Did you mean');
  });

  it('any of these is taken as it is where such a file exists', async () => {
    const names = ["'a.pdf'", 'a%20b.pdf', ' a.pdf'];
    // Names that Windows does not have.
    if (process.platform !== 'win32') names.push('"a.pdf"', 'a\\ b.pdf', ' a.pdf ');
    for (const name of names) {
      const stored = writeFile(path.join(temporaryFolder(), name), 'x');
      expect(await checkPath(stored)).toEqual({ input: { requested: stored, path: stored } });
    }
  });

  it('nothing to mend, or nothing at the mended place, gets no offer', async () => {
    const folder = temporaryFolder();
    for (const name of ['"gone.pdf"', 'gone%20.pdf', 'gone\\ .pdf', ' gone.pdf', 'gone.pdf', '%', '""', "' '"])
      expect((await ask(path.join(folder, name))).hint, name).not.toContain('Did you mean');
  });

  it('takes at most four looks, whatever it holds', () => {
    for (const [, spell] of SPELLINGS) expect(respellings(spell('/x')).length).toBeLessThanOrEqual(4);
    expect(respellings('/plain/path.pdf')).toEqual([]);
    expect(respellings('"" ')).not.toContainEqual(expect.objectContaining({ path: '' }));
  });

  it('what only looks like a share when it is mended is not looked at', async () => {
    const { code, hint } = await ask('"\\\\host\\share\\x.pdf"');
    expect(code).toBe('MCP_PATH_NOT_FOUND');
    expect(hint).not.toContain('Did you mean');
  });
});

describe('a Windows path', () => {
  it.each([
    ['C:\\Users\\ada\\x.pdf', 'C:\\Users\\ada\\x.pdf', '/mnt/c/Users/ada/x.pdf'],
    ['d:/docs/x.pdf', 'd:/docs/x.pdf', '/mnt/d/docs/x.pdf'],
    ['file:///C:/docs/a%20b.pdf', 'C:/docs/a%20b.pdf', '/mnt/c/docs/a b.pdf'],
    ['\\\\host\\share\\x.pdf', '\\\\host\\share\\x.pdf', undefined],
  ])('%s is told as one', (requested, windows, mounted) => {
    expect(windowsPath(requested)).toBe(windows);
    expect(mountedDrive(windows)).toBe(mounted);
  });

  it.each(['/home/ada/x.pdf', 'x.pdf', '~/x.pdf', 'file:///home/x.pdf', 'https://example.org/C:/x.pdf', 'C:x.pdf'])(
    '%s is none',
    (requested) => {
      expect(windowsPath(requested)).toBeUndefined();
    },
  );

  it.runIf(process.platform === 'linux')('is told to belong to another system', async () => {
    for (const requested of ['C:\\Users\\ada\\x.pdf', '\\\\host\\share\\x.pdf', 'file:///C:/x.pdf']) {
      const { code, hint } = await ask(requested);
      expect(code).toBe('MCP_PATH_NOT_FOUND');
      expect(hint).toBe(
        'That is a Windows path, and this server runs on Linux: give the absolute path that the file has there.',
      );
    }
  });

  it.runIf(process.platform === 'linux')('is offered where WSL mounts its drive, if the file exists', async () => {
    // Every look at a mounted drive is taken in a folder of the test's.
    const folder = temporaryFolder();
    writeFile(path.join(folder, 'docs', 'x.pdf'), 'x');
    class Mounted extends FileSystem {
      override ask: FileSystem['ask'] = (name, takes, signal) => {
        if (!('path' in takes)) return super.ask(name, takes, signal);
        return super.ask(name, { ...takes, path: takes.path.replace(/^\/mnt\/c(?=\/)/, folder) }, signal);
      };
    }
    const files = new Mounted(() => Promise.reject(new Error('not needed')));
    const offered = await checkPath('C:\\docs\\x.pdf', undefined, { files, isWsl: () => true });
    expect(offered).toMatchObject({
      failure: {
        hint: 'Did you mean "/mnt/c/docs/x.pdf"? It is the path of the same file under WSL, where this server runs.',
      },
    });
    for (const settings of [{ isWsl: () => false }, { isWsl: () => true }])
      expect(await checkPath('C:\\docs\\none.pdf', undefined, { files, ...settings })).toMatchObject({
        failure: { hint: expect.stringContaining('That is a Windows path') },
      });
  });
});
