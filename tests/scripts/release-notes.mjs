// Checks a tag against every place that has the version, and prints the changelog's section for it.
// Usage: node tests/scripts/release-notes.mjs vX.Y.Z
import { readFileSync } from 'node:fs';

const tag = process.argv[2] ?? '';
const read = (file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const json = (file) => JSON.parse(read(file));

const server = json('server.json');
const lock = json('package-lock.json');
const versions = {
  'package.json': json('package.json').version,
  'package-lock.json': lock.version,
  'package-lock.json, packages': lock.packages[''].version,
  'server.json': server.version,
  'server.json, packages': server.packages[0].version,
};
const [, bundle] = server.packages;
const address = `${server.repository.url}/releases/download/${tag}/deckprobe-mcp-${tag.replace(/^v/, '')}.mcpb`;
if (bundle.identifier !== address) {
  console.error(`server.json has the bundle at ${bundle.identifier}, it will be at ${address}`);
  process.exitCode = 1;
}
for (const [place, version] of Object.entries(versions)) {
  if (tag === `v${version}`) continue;
  console.error(`${place} has version ${version}, the tag is ${tag}`);
  process.exitCode = 1;
}

const version = tag.replace(/^v/, '');
const sections = read('CHANGELOG.md').split(/^## /m);
const section = sections.find((text) => text.startsWith(`[${version}] - `));
if (section === undefined) {
  console.error(`CHANGELOG.md has no dated section for ${version}`);
  process.exitCode = 1;
} else {
  const body = section.slice(section.indexOf('\n')).replace(/^\[[^\]]+\]: .*$/gm, '');
  console.log(body.trim());
}
