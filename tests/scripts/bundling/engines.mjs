// The engine packages of a bundle: for every system at once, since a bundle is one file for all of them.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT } from './programs.mjs';

const lock = JSON.parse(readFileSync(path.join(PROJECT, 'package-lock.json'), 'utf8'));
/** Every engine package, with the version that the lockfile names: the one that the tests ran with. */
export const ENGINES = Object.keys(lock.packages[''].optionalDependencies).map((name) => {
  const { version, integrity } = lock.packages[`node_modules/${name}`];
  return { name, version, integrity };
});
/** What nothing needs at run time. */
const NEEDLESS = /\.(d\.[cm]?ts|[cm]?ts|map|md|tsbuildinfo)$|(^|[\\/])(tests?|__tests__|examples?|docs)([\\/]|$)/i;

/**
 * Puts the engine packages into a bundle's node_modules.
 * @param installed takes those that are installed here, and asks no registry.
 * @returns the names of those that could not be had.
 */
export function addEngines(folder, { installed }) {
  const missing = [];
  for (const engine of ENGINES) {
    const target = path.join(folder, 'node_modules', engine.name);
    const found = installed ? copyInstalled(engine, target) : fetch(engine, target);
    if (!found) missing.push(engine.name);
    else checkManifest(engine, target);
  }
  return missing;
}

function copyInstalled({ name }, target) {
  const source = path.join(PROJECT, 'node_modules', name);
  if (!existsSync(path.join(source, 'package.json'))) return false;
  copyNeeded(source, target);
  return true;
}

/** Takes a package from the registry; only one that the registry does not have is missing, other trouble is an error. */
function fetch({ name, version, integrity }, target) {
  const folder = mkdtempSync(path.join(tmpdir(), 'deckprobe-engine-'));
  try {
    const windows = process.platform === 'win32';
    const quoted = windows ? `"${folder}"` : folder;
    const args = ['pack', `${name}@${version}`, '--json', '--ignore-scripts', '--pack-destination', quoted];
    const { stdout, stderr, status } = spawnSync('npm', args, { encoding: 'utf8', shell: windows });
    if (status !== 0 && /\bE404\b/.test(stdout + stderr)) return false;
    if (status !== 0) throw new Error(`${name}@${version} could not be fetched: ${stderr.trim()}`);
    const [packed] = JSON.parse(stdout);
    if (integrity !== undefined && packed.integrity !== integrity)
      throw new Error(`${name}@${version} has the integrity ${packed.integrity}, the lockfile says ${integrity}`);
    const [tarball] = readdirSync(folder);
    execFileSync('tar', ['-xzf', tarball], { cwd: folder });
    copyNeeded(path.join(folder, 'package'), target);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function copyNeeded(source, target) {
  mkdirSync(path.dirname(target), { recursive: true });
  cpSync(source, target, { recursive: true, filter: (file) => !NEEDLESS.test(path.relative(source, file)) });
}

/** A package with dependencies of its own would not run from the bundle. */
function checkManifest({ name, version }, folder) {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  if (manifest.name !== name || manifest.version !== version)
    throw new Error(`${name}@${version} was wanted, ${manifest.name}@${manifest.version} is there`);
  const [dependency] = Object.keys(manifest.dependencies ?? {});
  if (dependency !== undefined) throw new Error(`${name} needs ${dependency}, which the bundle does not contain`);
}
