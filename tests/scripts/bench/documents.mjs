// The documents that are measured over: 64 different ones, of every format, all of our own making.
import { copyFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pptx } from '../fixtures/ooxml.mjs';

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const COUNT = 64;

/** Puts the fixtures into a folder, and decks of ten slides and more until there are 64. @returns their paths. */
export function writeDocuments(folder) {
  const fixtures = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(path.join(FIXTURES, name)).isFile(),
  );
  for (const name of fixtures) copyFileSync(path.join(FIXTURES, name), path.join(folder, path.basename(name)));
  for (let slides = 10; readdirSync(folder).length < COUNT; slides += 10)
    writeFileSync(path.join(folder, `slides-${slides}.pptx`), pptx(slides));
  return readdirSync(folder)
    .sort()
    .slice(0, COUNT)
    .map((name) => path.join(folder, name));
}
