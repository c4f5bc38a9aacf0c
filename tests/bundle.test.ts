import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  filesBelow,
  forgetModes,
  makeBundle,
  removeNative,
  startBundle,
  type Unpacked,
  unpackBundle,
  whyNoBundle,
} from './helpers/bundles.js';
import { connect } from './helpers/clients.js';
import { allGone, CRASHES, executable, fakeEngine, type Json, playedEngine, TINY_REPORT } from './helpers/engines.js';
import { fixture, PROJECT, temporaryFolder, writeFile } from './helpers/files.js';
import { installWasm } from './helpers/installation.js';

const made = mkdtempSync(path.join(tmpdir(), 'deckprobe-mcp-bundle-'));
let bundle = '';

const REASON = whyNoBundle();
if (REASON !== undefined) process.stderr.write(`tests of the bundle are skipped: ${REASON}\n`);
const describeBundle = describe.skipIf(REASON !== undefined);

beforeAll(() => {
  if (REASON === undefined) bundle = makeBundle(made);
}, 300_000);
afterAll(() => rmSync(made, { recursive: true, force: true }));

const json = (file: string) => JSON.parse(readFileSync(path.join(PROJECT, file), 'utf8'));
const codeOf = (answer: Json) => (answer.error as { code: string } | undefined)?.code;
const kindOf = (answer: Json) => (answer.input as { source_kind: string } | undefined)?.source_kind;
const modeOf = (file: string) => statSync(file).mode & 0o777;

/** A document in a new folder of its own. */
function documentIn(name: string): { folder: string; file: string } {
  const folder = path.join(temporaryFolder(), name);
  mkdirSync(folder);
  const file = path.join(folder, 'deck.pptx');
  copyFileSync(fixture('deck.pptx'), file);
  return { folder, file };
}

describeBundle('the bundle', () => {
  it('holds the server, the engines and nothing that is not needed to run them', async () => {
    const { folder } = await unpackBundle(bundle);
    const names = filesBelow(folder).map((file) => path.relative(folder, file).split(path.sep).join('/'));
    const expected =
      /^(manifest\.json|package\.json|icon\.png|LICENSE|dist\/(THIRD_PARTY_LICENSES|[\w/-]+\.js)|node_modules\/@deckflow\/deckprobe[\w-]*\/(package\.json|LICENSE|NOTICE|bin\/deckprobe(\.exe)?|.+\.(m?js|cjs|wasm|json)))$/;
    expect(names.filter((name) => !expected.test(name))).toEqual([]);
    for (const name of ['dist/desktop.js', 'dist/engine/wasm/runner.js', 'dist/filesystem/runner.js'])
      expect(names).toContain(name);
    expect(names.filter((name) => name.startsWith('dist/') && !name.endsWith('LICENSES'))).toHaveLength(3);
  });

  it('has the licence of every package whose code is in it', async () => {
    const { folder } = await unpackBundle(bundle);
    const licences = readFileSync(path.join(folder, 'dist/THIRD_PARTY_LICENSES'), 'utf8');
    const code = readFileSync(path.join(folder, 'dist/desktop.js'), 'utf8');
    const bundled = new Set(
      [...code.matchAll(/^\/\/ .*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm)].map(([, name]) => name),
    );
    expect([...bundled].sort()).toEqual(['@modelcontextprotocol/core', '@modelcontextprotocol/server', 'zod']);
    for (const name of bundled) expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    // Neither the SDK's validator nor zod's languages.
    expect(code).not.toMatch(/ajv|locales\/(?!en\.js)/);
  });

  it('has a manifest made of what the project says elsewhere', async () => {
    const { folder, manifest } = await unpackBundle(bundle);
    const { version, license, engines, description } = json('package.json');
    expect(path.basename(bundle)).toBe(`deckprobe-mcp-${version}.mcpb`);
    expect(manifest).toMatchObject({
      manifest_version: '0.3',
      name: 'deckprobe-mcp',
      display_name: 'DeckProbe',
      version,
      description,
      license,
      icon: 'icon.png',
      compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
      server: { type: 'node', entry_point: 'dist/desktop.js' },
    });
    const { client } = await connect();
    const { tools } = await client.listTools();
    expect(manifest.tools).toEqual(tools.map(({ name, description: text }) => ({ name, description: text })));
    expect(manifest.user_config).toMatchObject({
      allowed_folders: { type: 'directory', multiple: true, required: false },
      call_seconds: { type: 'number', default: 30 },
      processes: { type: 'number', default: 4 },
    });
    expect(manifest.user_config?.allowed_folders?.description).toMatch(/choose none, every file/);
    const icon = readFileSync(path.join(folder, 'icon.png'));
    expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([512, 512]);
  });

  it('is what the official tool takes, and its SHA-256 stands beside it', () => {
    const tool = path.join(PROJECT, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
    expect(execFileSync(process.execPath, [tool, 'info', bundle], { encoding: 'utf8' })).toContain(
      path.basename(bundle),
    );
    expect(Object.keys(unzipSync(readFileSync(bundle)))).toContain('manifest.json');
    expect(readFileSync(path.join(made, 'SHA256SUMS'), 'utf8')).toMatch(/^[0-9a-f]{64} {2}deckprobe-mcp-\S+\.mcpb\n$/);
  });

  it('ends with status 1 where every engine is demanded and one is missing', ({ skip }) => {
    const script = path.join(PROJECT, 'tests/scripts/bundle.mjs');
    const folder = temporaryFolder();
    const missing = json('package-lock.json');
    const names = Object.keys(missing.packages[''].optionalDependencies);
    const here = names.filter((name) =>
      readdirSync(path.join(PROJECT, 'node_modules/@deckflow')).includes(path.basename(name)),
    );
    if (here.length === names.length) skip('every engine package is installed here');
    const run = () =>
      execFileSync(process.execPath, [script, '--installed', '--require-all', '--out', folder], { stdio: 'pipe' });
    expect(run).toThrow(/missing from the bundle: @deckflow\/deckprobe/);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describeBundle('in a desktop client, the server', () => {
  it('lists its tools and answers, from a folder with spaces and other letters, without PATH, from the root', async () => {
    const unpacked = await unpackBundle(bundle, 'Erweiterungen für Ädä 文書');
    const place = { cwd: path.parse(process.cwd()).root };
    const { server, call } = await startBundle(unpacked, {}, { PATH: undefined }, place);
    server.send({ jsonrpc: '2.0', id: 900, method: 'tools/list' });
    expect(((await server.answer(900)).result as { tools: Json[] }).tools).toHaveLength(4);
    expect(await call('probe', { path: fixture('deck.pptx') })).toMatchObject({ status: 'ok' });
    expect(server.stderr.join('')).toContain('(package)');
    expect(server.impure).toEqual([]);
  });

  // By permission bits, as is all of the next group.
  it.skipIf(process.platform === 'win32')('answers from a folder that cannot be written to', async () => {
    const unpacked = await unpackBundle(bundle);
    const folders = filesBelow(unpacked.folder).map((file) => path.dirname(file));
    for (const folder of folders) chmodSync(folder, 0o555);
    const { call } = await startBundle(unpacked, {});
    expect(await call('probe', { path: fixture('deck.pptx') })).toMatchObject({ status: 'ok' });
    for (const folder of folders) chmodSync(folder, 0o755);
  });

  it('reads what is in the chosen folders and nothing else, whatever their names hold', async () => {
    const [one, two] = [documentIn(`reports${path.delimiter} 2026`), documentIn('--end of $' + '{year}')];
    const outside = documentIn('other');
    const { server, call } = await startBundle(await unpackBundle(bundle), {
      allowed_folders: [one.folder, two.folder],
    });
    for (const { file } of [one, two])
      expect(await call('probe', { path: file }), file).toMatchObject({ status: 'ok' });
    expect(codeOf(await call('probe', { path: outside.file }))).toBe('MCP_PATH_NOT_ALLOWED');
    expect(server.stderr.join('')).not.toContain('no folder was chosen');
  });

  it.each<[string, Record<string, string[]>, string[]]>([
    ['leaves the placeholder', {}, ['$' + '{user_config.allowed_folders}']],
    ['passes nothing', { allowed_folders: [] }, []],
  ])('reads every file when no folder was chosen and the client %s, and says so', async (_, settings, passed) => {
    const { server, args, call } = await startBundle(await unpackBundle(bundle), settings);
    expect(args.slice(args.indexOf('--folders') + 1, -1)).toEqual(passed);
    expect(await call('probe', { path: documentIn('any').file })).toMatchObject({ status: 'ok' });
    expect(server.stderr.join('')).toMatch(/no folder was chosen .* every file that you can open may be read/);
  });

  it('has the deadline that was set in seconds', async () => {
    const { bin } = playedEngine('hang();');
    const { call } = await startBundle(await unpackBundle(bundle), { call_seconds: 1 }, { DECKPROBE_MCP_BIN: bin });
    const answer = await call('probe', { path: fixture('deck.pptx') });
    expect(JSON.stringify(answer)).toContain('limit of 1000 ms');
  });

  it('answers with WebAssembly where the native engine is gone', async () => {
    const unpacked = await withoutNative();
    const { server, call } = await startBundle(unpacked, {}, { PATH: undefined });
    expect(kindOf(await call('probe', { path: fixture('deck.pptx') }))).toBe('node_bytes');
    expect(server.stderr.join('')).toContain('WebAssembly serves because');
  });
});

async function withoutNative(): Promise<Unpacked> {
  const unpacked = await unpackBundle(bundle);
  removeNative(unpacked);
  installWasm(unpacked.folder);
  return unpacked;
}

describe.skipIf(REASON !== undefined || process.platform === 'win32')('where files are unpacked with mode 0600', () => {
  it('the packaged engine becomes executable for its owner, and nothing else is changed', async () => {
    const unpacked = await unpackBundle(bundle);
    forgetModes(unpacked);
    const { server, call } = await startBundle(unpacked, {}, { PATH: undefined });
    expect(kindOf(await call('probe', { path: fixture('deck.pptx') }))).toBe('local_file');
    expect(modeOf(unpacked.engine)).toBe(0o700);
    const others = filesBelow(unpacked.folder).filter((file) => file !== unpacked.engine);
    expect(others.filter((file) => modeOf(file) !== 0o600)).toEqual([]);
    expect(server.stderr.join('')).toMatch(/was not executable: its owner may execute it now/);
  });

  it('an engine that cannot be changed is copied for the session, and the copy is swept up if the server was killed', async () => {
    const unpacked = await unpackBundle(bundle);
    forgetModes(unpacked);
    // A file with two names may be somebody else's too, so its mode is left alone.
    linkSync(unpacked.engine, path.join(unpacked.folder, 'another-name'));
    const TMPDIR = temporaryFolder();
    const env = { PATH: undefined, TMPDIR };
    const killed = await startBundle(unpacked, {}, env);
    expect(kindOf(await killed.call('probe', { path: fixture('deck.pptx') }))).toBe('local_file');
    expect(modeOf(unpacked.engine)).toBe(0o600);
    const [copies = ''] = readdirSync(TMPDIR);
    expect(copies).toBe(`deckprobe-mcp-engine-${killed.server.child.pid}-${copies.slice(-6)}`);
    expect(modeOf(path.join(TMPDIR, copies))).toBe(0o700);
    expect(killed.server.stderr.join('')).toContain('served by a copy for this session');
    killed.server.child.kill('SIGKILL');
    await killed.server.exit();
    await allGone([killed.server.child.pid ?? 0]);
    expect(readdirSync(TMPDIR)).toEqual([copies]);

    const next = await startBundle(unpacked, {}, env);
    expect(kindOf(await next.call('probe', { path: fixture('deck.pptx') }))).toBe('local_file');
    next.server.child.stdin.end();
    expect(await next.server.exit()).toEqual([0, null]);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it('an engine that can be neither changed nor copied gives way to the next, with the reason', async () => {
    const unpacked = await unpackBundle(bundle);
    forgetModes(unpacked);
    linkSync(unpacked.engine, path.join(unpacked.folder, 'another-name'));
    const TMPDIR = path.join(temporaryFolder(), 'gone');
    const next = fakeEngine(`echo '${TINY_REPORT}'`);
    const { server, call } = await startBundle(unpacked, {}, { PATH: `${path.dirname(next.bin)}:/bin`, TMPDIR });
    expect(await call('probe', { path: fixture('deck.pptx') })).toEqual(JSON.parse(TINY_REPORT));
    expect(server.stderr.join('')).toMatch(
      /passed over: it is not executable, and that cannot be changed \(it has another name besides\); nor can it be copied \(ENOENT\)/,
    );
  });

  it('an engine that an operator named, or one on PATH, is left as it is', async () => {
    const unpacked = await withoutNative();
    const folder = temporaryFolder();
    const named = writeFile(path.join(folder, 'deckprobe'), '#!/bin/sh\necho deckprobe 2.7.0\n', 0o600);
    const byPath = await startBundle(unpacked, {}, { PATH: folder });
    expect(kindOf(await byPath.call('probe', { path: fixture('deck.pptx') }))).toBe('node_bytes');
    const byName = await startBundle(unpacked, {}, { DECKPROBE_MCP_BIN: named });
    const answer = await byName.call('probe', { path: fixture('deck.pptx') });
    expect(JSON.stringify(answer)).toContain('which cannot be used: it is not executable');
    expect(modeOf(named)).toBe(0o600);
  });
});

describeBundle('inside Electron', () => {
  /**
   * What the server finds inside Electron: a version of it, and an executable that is a Node.js only on demand.
   * @param helper what that executable does, in JavaScript.
   */
  function electron(helper: string): NodeJS.ProcessEnv {
    const folder = temporaryFolder();
    const program = writeFile(path.join(folder, 'helper.cjs'), helper);
    const client = executable(folder, program, 'Client Helper');
    const preload = writeFile(
      path.join(folder, 'preload.mjs'),
      `const versions = { ...process.versions, electron: '40.0.0' };
      Object.defineProperty(process, 'versions', { value: versions });
      process.execPath = ${JSON.stringify(client)};`,
    );
    return { NODE_OPTIONS: `--import=${pathToFileURL(preload)}` };
  }
  const onDemand = `
    if (process.env.ELECTRON_RUN_AS_NODE !== '1') process.exit(9);
    const { spawnSync } = require('node:child_process');
    process.exit(spawnSync(process.execPath, process.argv.slice(2), { stdio: 'inherit' }).status);`;

  it('the client’s own executable runs the WebAssembly engine where it is a Node.js on demand', async () => {
    const env = { ...electron(onDemand), PATH: '' };
    const { call } = await startBundle(await withoutNative(), {}, env);
    expect(kindOf(await call('probe', { path: fixture('deck.pptx') }))).toBe('node_bytes');
  });

  it('where it crashes even so, a node on PATH is taken', async () => {
    const env = {
      ...electron(CRASHES),
      PATH: [temporaryFolder(), path.dirname(process.execPath)].join(path.delimiter),
    };
    const { call } = await startBundle(await withoutNative(), {}, env);
    expect(kindOf(await call('probe', { path: fixture('deck.pptx') }))).toBe('node_bytes');
  });

  it('without one the reason is given', async () => {
    const env = { ...electron(CRASHES), PATH: '' };
    const { call } = await startBundle(await withoutNative(), {}, env);
    const answer = await call('probe', { path: fixture('deck.pptx') });
    expect(codeOf(answer)).toBe('MCP_ENGINE_NOT_FOUND');
    expect(JSON.stringify(answer)).toMatch(
      /no program for Node\.js can be started inside Electron: .*Client Helper.* (was ended by SIGSEGV|is no Node\.js \(exit status 0xC0000005 .*\)), and there is no .*node.* on PATH/,
    );
  });

  it('arguments that Electron adds are passed over', async () => {
    const unpacked = await unpackBundle(bundle);
    const mcp = unpacked.manifest.server.mcp_config;
    const added = { ...unpacked, manifest: structuredClone(unpacked.manifest) };
    added.manifest.server.mcp_config = {
      ...mcp,
      args: [...(mcp?.args ?? []), '--type=utility', '--field-trial-handle=1'],
    } as typeof mcp;
    const inside = documentIn('inside');
    const { call } = await startBundle(added, { allowed_folders: [inside.folder] });
    expect(await call('probe', { path: inside.file })).toMatchObject({ status: 'ok' });
    expect(codeOf(await call('probe', { path: fixture('deck.pptx') }))).toBe('MCP_PATH_NOT_ALLOWED');
  });
});
