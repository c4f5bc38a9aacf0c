// Names every optional dependency in package-lock.json. `npm install` leaves out one that the registry in use does not
// carry (an engine package for another platform, mostly), and `npm ci` then refuses the lockfile as out of step. An
// entry without an integrity is enough: npm installs the package where it can be had and passes over it elsewhere.
import { readFileSync, writeFileSync } from 'node:fs';

const lockUrl = new URL('../../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(lockUrl, 'utf8'));

/** The platform fields that an engine package declares, told from its name. */
function enginePlatform(name) {
  const [, os, cpu, abi] = /^@deckflow\/deckprobe-([a-z0-9]+)-([a-z0-9]+)(?:-([a-z]+))?$/.exec(name) ?? [];
  if (os === undefined) return {};
  return { os: [os], cpu: [cpu], ...(os === 'linux' && { libc: [abi === 'musl' ? 'musl' : 'glibc'] }) };
}

for (const { dev, optionalDependencies } of Object.values(lock.packages)) {
  for (const [name, range] of Object.entries(optionalDependencies ?? {})) {
    lock.packages[`node_modules/${name}`] ??= {
      version: range.replace(/^[~^]/, ''),
      ...(dev && { dev }),
      optional: true,
      ...enginePlatform(name),
      ...(name.startsWith('@deckflow/') && { license: 'Apache-2.0', engines: { node: '>=20' } }),
    };
  }
}
const packages = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(lockUrl, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
