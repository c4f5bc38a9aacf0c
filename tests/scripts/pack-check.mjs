// Packs the project, installs the tarball into an empty project in a folder with a space in its name, and uses it as a
// stranger would: the bin over stdio, on every Node.js that is supported and can be had, and the library from TypeScript.
// Needs a registry for the dependencies.
// Usage: node tests/scripts/pack-check.mjs [--keep DIR]; with it the tarball that passed stays in DIR, and its SHA-256.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const project = fileURLToPath(new URL('../../', import.meta.url));
const { name, version } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8'));
const { keep } = parseArgs({ options: { keep: { type: 'string' } } }).values;
const windows = process.platform === 'win32';
/** Bytes that the package may have, packed and unpacked: the bin contains what it uses of the SDK and zod. */
const MOST_PACKED = 320_000;
const MOST_UNPACKED = 1_400_000;
/** The Node.js versions that a client may have. */
const NODES = [20, 22, 24];

const npm = (args, cwd) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', shell: windows, stdio: ['ignore', 'pipe', 'inherit'] });
const folder = mkdtempSync(path.join(tmpdir(), 'deckprobe pack '));

try {
  const [packed] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', windows ? `"${folder}"` : folder], project),
  );
  checkFiles(packed);

  const consumer = path.join(folder, 'an empty project');
  mkdirSync(consumer);
  writeFileSync(path.join(consumer, 'package.json'), '{ "name": "consumer", "version": "1.0.0", "type": "module" }\n');
  const tarball = path.join('..', packed.filename);
  npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', tarball], consumer);

  const bin = path.join(consumer, 'node_modules', '.bin', windows ? 'deckprobe-mcp.cmd' : 'deckprobe-mcp');
  const printed = execFileSync(windows ? `"${bin}"` : bin, ['--version'], {
    cwd: consumer,
    encoding: 'utf8',
    shell: windows,
  });
  assert.equal(printed.trim(), version);
  await probeThroughBin(
    windows ? process.execPath : bin,
    windows ? [path.join(consumer, 'node_modules', name, 'dist', 'main.js')] : [],
    consumer,
  );
  const tried = await tryNodes(path.join(consumer, 'node_modules', name, 'dist', 'main.js'), consumer);
  compileConsumer(consumer);
  if (keep !== undefined) keepTarball(path.join(folder, packed.filename), path.resolve(keep));
  console.log(
    `${name}@${version}: ${packed.entryCount} files, ${packed.size} bytes packed, ${packed.unpackedSize} unpacked;` +
      ` installs, runs on Node.js ${tried.join(', ')} and compiles`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function checkFiles({ files, size, unpackedSize }) {
  const paths = files.map((file) => file.path);
  const expected = /^(package\.json|README\.md|LICENSE|dist\/(THIRD_PARTY_LICENSES|[a-zA-Z0-9/-]+\.(js|d\.ts)))$/;
  assert.deepEqual(
    paths.filter((file) => !expected.test(file)),
    [],
    'files that do not belong into the package',
  );
  for (const needed of [
    'package.json',
    'README.md',
    'LICENSE',
    'dist/main.js',
    'dist/index.js',
    'dist/index.d.ts',
    'dist/engine/wasm/runner.js',
    'dist/filesystem/runner.js',
    'dist/THIRD_PARTY_LICENSES',
  ])
    assert.ok(paths.includes(needed), `${needed} is missing from the package`);
  assert.ok(size <= MOST_PACKED, `the tarball has ${size} bytes, more than ${MOST_PACKED}`);
  assert.ok(unpackedSize <= MOST_UNPACKED, `the package has ${unpackedSize} bytes, more than ${MOST_UNPACKED}`);
  const main = files.find((file) => file.path === 'dist/main.js');
  const bin = readFileSync(path.join(project, main.path), 'utf8');
  assert.ok(bin.startsWith('#!/usr/bin/env node\n'));
  // The bin is the bundle: it loads no package by its name.
  assert.deepEqual(bin.match(/^(?:import|\} from) .*["'](?:@modelcontextprotocol|zod).*$/gm), null);
}

/**
 * Starts the bin on the Node.js versions besides this one, as far as npm's packages of them can be had.
 * @returns every version that it ran on.
 */
async function tryNodes(main, cwd) {
  const tried = [process.versions.node];
  const system = `node-${windows ? 'win' : process.platform}-${process.arch}`;
  for (const major of NODES.filter((each) => !process.versions.node.startsWith(`${each}.`))) {
    const place = path.join(folder, `node ${major}`);
    mkdirSync(place);
    writeFileSync(path.join(place, 'package.json'), '{ "name": "runtime", "version": "1.0.0" }\n');
    try {
      npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', `${system}@${major}`], place);
    } catch {
      console.warn(`Node.js ${major} cannot be had as ${system}: not tried`);
      continue;
    }
    const node = path.join(place, 'node_modules', system, 'bin', windows ? 'node.exe' : 'node');
    const running = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
    assert.ok(running.startsWith(`${major}.`), `${system}@${major} is Node.js ${running}`);
    await probeThroughBin(node, [main], cwd);
    tried.push(running);
  }
  return tried;
}

/** Leaves the tarball in a folder of its own, with a list that `sha256sum --check` reads. */
function keepTarball(tarball, target) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const file = path.basename(tarball);
  copyFileSync(tarball, path.join(target, file));
  const digest = createHash('sha256').update(readFileSync(tarball)).digest('hex');
  writeFileSync(path.join(target, 'SHA256SUMS'), `${digest}  ${file}\n`);
}

async function probeThroughBin(command, args, cwd) {
  const deck = path.join(cwd, 'deck with spaces.pptx');
  copyFileSync(path.join(project, 'tests', 'fixtures', 'deck.pptx'), deck);
  const client = new Client({ name: 'pack-check', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StdioClientTransport({ command, args, cwd, stderr: 'inherit' }));
  try {
    assert.equal(client.getServerVersion()?.version, version);
    assert.equal((await client.listTools()).tools.length, 4);
    const { structuredContent } = await client.callTool({ name: 'probe', arguments: { path: deck } });
    assert.equal(structuredContent.status, 'ok');
    assert.equal(structuredContent.results['powerpoint.slide_count'].value, 3);
  } finally {
    await client.close();
  }
}

/** A program in TypeScript that embeds the server, checked with the strictest settings that do not check libraries. */
function compileConsumer(cwd) {
  const source = `
import { buildServer, type Config, createEngine, type Engine, loadConfig } from '${name}';

const config: Config = loadConfig({});
const engine: Engine = createEngine(config, { log: (line: string) => process.stderr.write(line) });
const server = buildServer({ engine, config });
await server.close();
await engine.close();
process.stdout.write('embedded');
`;
  writeFileSync(path.join(cwd, 'embed.ts'), source);
  const options = {
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    target: 'ES2022',
    lib: ['ES2023'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [path.join(project, 'node_modules', '@types')],
  };
  writeFileSync(path.join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['embed.ts'] }));
  const tsc = path.join(project, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', cwd], { cwd, stdio: 'inherit' });
  const printed = execFileSync(process.execPath, ['embed.js'], { cwd, encoding: 'utf8' });
  assert.equal(printed, 'embedded');
}
