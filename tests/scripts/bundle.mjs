// Makes the bundle for desktop clients, deckprobe-mcp-<version>.mcpb, from the built project.
// Usage: node tests/scripts/bundle.mjs [--out DIR] [--require-all] [--installed]
// --require-all ends with status 1 when an engine package cannot be had; --installed asks no registry.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { addEngines, ENGINES } from './bundling/engines.mjs';
import { icon } from './bundling/icon.mjs';
import { licensesOf } from './bundling/licenses.mjs';
import { bundleManifest, ENTRY, ICON } from './bundling/manifest.mjs';
import { bundleProgram, PROJECT } from './bundling/programs.mjs';

const { values: flags } = parseArgs({
  options: {
    out: { type: 'string', default: path.join(PROJECT, 'bundled') },
    'require-all': { type: 'boolean', default: false },
    installed: { type: 'boolean', default: false },
  },
});
const MCPB = path.join(PROJECT, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');

const stage = mkdtempSync(path.join(tmpdir(), 'deckprobe-bundle-'));
const put = (name, content) => writeFileSync(path.join(stage, name), content);
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
/** The official tool's output is shown where it is not content; it tells that by its status. */
const mcpb = (...args) =>
  execFileSync(process.execPath, [MCPB, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

try {
  const missing = addEngines(stage, flags);
  if (missing.length === ENGINES.length) throw new Error('no engine package can be had');
  for (const name of missing) console.error(`missing from the bundle: ${name}`);
  if (missing.length > 0 && flags['require-all']) throw new Error(`${missing.length} engine packages are missing`);

  const dist = path.dirname(path.join(stage, ENTRY));
  const sources = await bundleProgram('desktop', dist);
  writeFileSync(path.join(dist, 'THIRD_PARTY_LICENSES'), licensesOf(sources));
  const { name, version, license, type } = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8'));
  // The server reads its version here, and Node.js that these are modules.
  put('package.json', json({ name, version, license, type, private: true }));
  copyFileSync(path.join(PROJECT, 'LICENSE'), path.join(stage, 'LICENSE'));
  put(ICON, icon());
  const manifest = await bundleManifest();
  put('manifest.json', json(manifest));

  const file = `${manifest.name}-${version}.mcpb`;
  const bundle = path.join(path.resolve(flags.out), file);
  mkdirSync(path.dirname(bundle), { recursive: true });
  mcpb('validate', stage);
  mcpb('pack', stage, bundle);
  const bytes = readFileSync(bundle);
  const digest = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(path.join(path.dirname(bundle), 'SHA256SUMS'), `${digest}  ${file}\n`);
  const engines = ENGINES.length - missing.length;
  console.log(`${bundle}: ${bytes.length} bytes, ${engines} of ${ENGINES.length} engine packages, SHA-256 ${digest}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(stage, { recursive: true, force: true });
}
