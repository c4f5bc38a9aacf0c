// Installs what a client needs into a folder of its own, with npm as the user has it set up.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CLIENT_NODE } from './table.mjs';

const MAJOR = Number(CLIENT_NODE.split('.')[0]);

/**
 * Installs exactly `packages` (name to version) into `folder`, unless they are there. npm runs on `node`, because it
 * passes over releases that the Node it runs on is too old for. Throws with what npm said.
 */
export async function install(folder, packages, node, start) {
  const manifest = path.join(folder, 'package.json');
  const wanted = `${JSON.stringify({ private: true, dependencies: packages }, null, 2)}\n`;
  if (existsSync(manifest) && readFileSync(manifest, 'utf8') === wanted && installed(folder, packages)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(manifest, wanted);
  const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}` };
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  const { status, output } = await start('npm', args, { cwd: folder, env });
  if (status !== 0 || !installed(folder, packages)) throw new Error(`npm install failed in ${folder}:\n${output}`);
}

function installed(folder, packages) {
  return Object.entries(packages).every(([name, version]) => {
    const manifest = path.join(folder, 'node_modules', name, 'package.json');
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
  });
}

/** The path of a Node that is new enough for every client: the running one, or one from npm. */
export async function clientNode(folder, start) {
  if (Number(process.versions.node.split('.')[0]) >= MAJOR) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  await install(folder, { [name]: CLIENT_NODE }, process.execPath, start);
  return path.join(folder, 'node_modules', name, 'bin', 'node');
}
