import { copyFileSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialize, startBin } from '../helpers/bin.js';
import { call, connect } from '../helpers/clients.js';
import { canLink, fixture, HOME, temporaryFolder, writeFile } from '../helpers/files.js';
import { pathsUnder } from '../helpers/paths-under-test.js';

describe('several roots', () => {
  it('each allow what is below them; one that is missing allows nothing until it exists', async () => {
    const folder = temporaryFolder();
    const [first, second] = ['one', 'two'].map((name) => path.join(folder, name)) as [string, string];
    mkdirSync(first);
    const { client } = await connect({ roots: [first, second] });
    const file = writeFile(path.join(folder, 'moved', 'report.pdf'), '');
    copyFileSync(fixture('report.pdf'), file);
    copyFileSync(fixture('report.pdf'), path.join(first, 'report.pdf'));
    const codeFor = async (root: string) => (await call(client, 'probe', { path: path.join(root, 'report.pdf') })).code;
    expect([await codeFor(first), await codeFor(second)]).toEqual([undefined, 'MCP_PATH_NOT_ALLOWED']);
    renameSync(path.dirname(file), second);
    expect([await codeFor(first), await codeFor(second)]).toEqual([undefined, undefined]);
  });

  it('of which none exists allow nothing, and the hint says so', async () => {
    const roots = ['/nowhere/a', '/nowhere/b'].map((root) => path.resolve(root));
    const { client } = await connect({ roots });
    const { code, hint } = await call(client, 'probe', { path: fixture('deck.pptx') });
    expect(code).toBe('MCP_PATH_NOT_ALLOWED');
    expect(hint).toContain(
      `None of the allowed folders exists: ${roots.map((root) => JSON.stringify(root)).join(', ')}`,
    );
  });

  it('of which none is left allow nothing, and the hint says so', async () => {
    const { client } = await connect({ roots: [] });
    const { code, hint } = await call(client, 'probe', { path: fixture('deck.pptx') });
    expect(code).toBe('MCP_PATH_NOT_ALLOWED');
    expect(hint).toContain('No folder is allowed');
  });

  it('may stand with spaces around them and begin with ~', async () => {
    const home = temporaryFolder();
    copyFileSync(fixture('report.pdf'), writeFile(path.join(home, 'docs', 'report.pdf'), ''));
    const nowhere = path.resolve('/nowhere');
    const server = startBin([], { [HOME]: home, DECKPROBE_MCP_ROOTS: ` ${nowhere} ${path.delimiter} ~/docs ` });
    await initialize(server);
    server.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'probe', arguments: { path: '~/docs/report.pdf' } },
    });
    expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
    server.child.stdin.end();
    await server.exit();
    const stderr = server.stderr.join('');
    expect(stderr).toContain(
      `warning: root ${JSON.stringify(nowhere)} does not exist and allows nothing until it does`,
    );
    const docs = JSON.stringify(path.join(home, 'docs'));
    expect(stderr).toContain(`root ${docs} (real path ${docs})`);
  });

  it.runIf(canLink)('are told to the operator with their real paths', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'real'));
    const alias = path.join(folder, 'alias');
    symlinkSync('real', alias);
    expect(await pathsUnder([alias]).describeRoots()).toEqual([
      `root ${JSON.stringify(alias)} (real path ${JSON.stringify(path.join(folder, 'real'))})`,
    ]);
  });

  it('that are relative refuse to start', async () => {
    const server = startBin([], { DECKPROBE_MCP_ROOTS: `${homedir()}${path.delimiter}docs` });
    expect(await server.exit()).toEqual([2, null]);
    expect(server.stderr.join('')).toMatch(
      /^deckprobe-mcp: DECKPROBE_MCP_ROOTS has "docs"; valid are absolute folders.*\n$/,
    );
  });
});
