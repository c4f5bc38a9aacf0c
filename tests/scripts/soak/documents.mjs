// The documents of one folder: good ones, odd ones, one for each fault of the engine, and some that are swapped meanwhile.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultKinds } from './faults.mjs';

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));
/** Documents that nothing in a script touches. By name, so that a seed's scripts stay the same when there are more. */
export const GOOD = [
  'deck.pptx',
  'letter.docx',
  'workbook.xlsx',
  'report.pdf',
  'talk.key',
  'table.numbers',
  'paper.pages',
  'legacy.xls',
  'macros.ppt',
  'macros.docm',
  'binary.xlsb',
  'corrupt.pdf',
  'encrypted.pdf',
  'encrypted.xlsx',
  'renamed.docx',
  'script.pdf',
];
/** Documents that scripts swap and remove. */
export const SWAPPED = ['swap-0.pptx', 'swap-1.pdf', 'swap-2.docx', 'swap-3.key'];
/** The size of the document outside of the roots: an answer that names it has read it. */
export const SECRET_SIZE = 1_234_567;
/** What `swap` can do to a file. */
export const SWAPS = [
  'remove',
  'document',
  'empty',
  'damage',
  'folder',
  'fifo',
  'loop',
  'dangling',
  'inside',
  'outside',
];

export class Documents {
  #fresh;
  #secret;

  /** Makes them: `docs` below the folder, and one document `outside` of that. */
  constructor(folder) {
    this.folder = path.join(folder, 'docs');
    this.#fresh = path.join(folder, 'fresh');
    const outside = path.join(folder, 'outside');
    this.#secret = path.join(outside, 'secret.pdf');
    for (const each of [this.folder, outside, this.file('folder.pdf')]) mkdirSync(each);
    for (const name of GOOD) copyFileSync(path.join(FIXTURES, name), this.file(name));
    const first = this.file('fault.pdf');
    copyFileSync(path.join(FIXTURES, 'report.pdf'), first);
    for (const kind of faultKinds()) linkSync(first, this.file(`fault-${kind}.pdf`));
    const report = readFileSync(first);
    writeFileSync(this.#secret, Buffer.concat([report, Buffer.alloc(SECRET_SIZE - report.length, '\n')]));
    for (const name of SWAPPED) this.swap(name, 'document');
    symlinkSync('loop.pdf', this.file('loop.pdf'));
    symlinkSync('nowhere.pdf', this.file('dangling.pdf'));
    symlinkSync(this.#secret, this.file('secret.pdf'));
    symlinkSync('deck.pptx', this.file('link.pptx'));
  }

  file(name) {
    return path.join(this.folder, name);
  }

  /** Puts something else in the place of a document, in one step as far as the file system has one. */
  swap(name, what) {
    const file = this.file(name);
    const fresh = this.#fresh;
    const fixture = path.join(FIXTURES, GOOD.find((each) => path.extname(each) === path.extname(name)) ?? GOOD[0]);
    const make = {
      document: () => copyFileSync(fixture, fresh),
      empty: () => writeFileSync(fresh, ''),
      damage: () => writeFileSync(fresh, readFileSync(fixture).subarray(0, 300)),
      folder: () => mkdirSync(fresh),
      fifo: () => spawnSync('mkfifo', [fresh]),
      loop: () => symlinkSync(name, fresh),
      dangling: () => symlinkSync('nowhere.pptx', fresh),
      inside: () => symlinkSync('deck.pptx', fresh),
      outside: () => symlinkSync(this.#secret, fresh),
      remove: () => {},
    };
    make[what]();
    // A folder is neither replaced nor put into a place by rename alone.
    if (what === 'remove' || what === 'folder' || isFolder(file)) rmSync(file, { recursive: true, force: true });
    if (what !== 'remove') renameSync(fresh, file);
  }
}

function isFolder(file) {
  return lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
