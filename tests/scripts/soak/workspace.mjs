// The folder that one server lives over: documents, files that are swapped and removed, the engine, its process ids.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultKinds, writeEngine, writePayload } from './faults.mjs';
import { isAlive, runsIn } from './processes.mjs';

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

export class Workspace {
  #known = 0;
  /** Every process of the engine that has been noted and not been seen gone. */
  #pids = new Set();
  engineStarts = 0;

  /** @param folder an empty one. @param payload what the faults print. @param engine the real engine. */
  constructor(folder, { payload, engine }) {
    this.folder = folder;
    this.docs = path.join(folder, 'docs');
    this.bin = writeEngine(folder, { engine, payload });
    const outside = path.join(folder, 'outside');
    this.secret = path.join(outside, 'secret.pdf');
    for (const each of [this.docs, outside, path.join(this.docs, 'folder.pdf')]) mkdirSync(each);
    for (const name of GOOD) copyFileSync(path.join(FIXTURES, name), this.doc(name));
    const first = this.doc('fault.pdf');
    copyFileSync(path.join(FIXTURES, 'report.pdf'), first);
    for (const kind of faultKinds()) linkSync(first, this.doc(`fault-${kind}.pdf`));
    const report = readFileSync(first);
    writeFileSync(this.secret, Buffer.concat([report, Buffer.alloc(SECRET_SIZE - report.length, '\n')]));
    for (const name of SWAPPED) this.swap(name, 'document');
    symlinkSync('loop.pdf', this.doc('loop.pdf'));
    symlinkSync('nowhere.pdf', this.doc('dangling.pdf'));
    symlinkSync(this.secret, this.doc('secret.pdf'));
    symlinkSync('deck.pptx', this.doc('link.pptx'));
  }

  doc(name) {
    return path.join(this.docs, name);
  }

  /** Puts something else in the place of a document, in one step as far as the file system has one. */
  swap(name, what) {
    const file = this.doc(name);
    const fresh = path.join(this.folder, 'fresh');
    const fixture = GOOD.find((each) => path.extname(each) === path.extname(name)) ?? GOOD[0];
    const make = {
      document: () => copyFileSync(path.join(FIXTURES, fixture), fresh),
      empty: () => writeFileSync(fresh, ''),
      damage: () => writeFileSync(fresh, readFileSync(path.join(FIXTURES, fixture)).subarray(0, 300)),
      folder: () => mkdirSync(fresh),
      fifo: () => spawnSync('mkfifo', [fresh]),
      loop: () => symlinkSync(name, fresh),
      dangling: () => symlinkSync('nowhere.pptx', fresh),
      inside: () => symlinkSync('deck.pptx', fresh),
      outside: () => symlinkSync(this.secret, fresh),
      remove: () => {},
    };
    make[what]();
    // A folder is neither replaced nor put into a place by rename alone.
    if (what === 'remove' || what === 'folder' || isFolder(file)) rmSync(file, { recursive: true, force: true });
    if (what !== 'remove') renameSync(fresh, file);
  }

  /** Has a command of the engine misbehave from now on, or no longer. */
  setMode(command, kind) {
    const file = path.join(this.folder, `mode-${command}`);
    if (kind === undefined) return rmSync(file, { force: true });
    writeFileSync(`${file}.new`, `${kind}\n`);
    renameSync(`${file}.new`, file);
  }

  hasMode(command) {
    return existsSync(path.join(this.folder, `mode-${command}`));
  }

  clearModes() {
    for (const name of readdirSync(this.folder)) if (name.startsWith('mode-')) rmSync(path.join(this.folder, name));
  }

  /** Lets the engine's processes that wait for the gate go on, or has later ones wait. */
  openGate() {
    writeFileSync(path.join(this.folder, 'gate'), '');
  }

  closeGate() {
    rmSync(path.join(this.folder, 'gate'), { force: true });
  }

  /** Opens the engine's file for writing, so that it cannot be executed (ETXTBSY). @returns what ends that. */
  holdEngine() {
    const descriptor = openSync(this.bin, 'r+');
    return () => closeSync(descriptor);
  }

  /** Puts a fresh copy of the engine in its place; its file is there all the while. */
  replaceEngine() {
    const fresh = `${this.bin}.new`;
    copyFileSync(this.bin, fresh);
    renameSync(fresh, this.bin);
  }

  /** The engine's processes that are there, by the notes that they make. */
  engineProcesses() {
    const text = this.#notes('pids');
    const lines = text.slice(this.#known).split('\n').slice(0, -1);
    this.#known += lines.reduce((length, line) => length + line.length + 1, 0);
    this.engineStarts += lines.length;
    for (const line of lines) this.#pids.add(Number(line));
    // What has left its group is out of the server's reach.
    for (const escaped of this.#escaped()) this.#pids.delete(escaped);
    for (const pid of this.#pids) if (!isAlive(pid, this.folder)) this.#pids.delete(pid);
    return [...this.#pids];
  }

  /** Every process that a server over this folder has left, noted or not. */
  leftProcesses() {
    const escaped = new Set(this.#escaped());
    return [...new Set([...this.engineProcesses(), ...runsIn(this.folder)])].filter((pid) => !escaped.has(pid));
  }

  #escaped() {
    return this.#notes('escaped').split('\n').slice(0, -1).map(Number);
  }

  #notes(name) {
    const file = path.join(this.folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** Ends what is left and takes the folder away. */
  remove() {
    for (const pid of [...this.leftProcesses(), ...this.#escaped().filter((pid) => isAlive(pid, this.folder))]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone meanwhile.
      }
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The folder of a run: what the faults print, and a workspace for each script that is played. */
export class Workshop {
  #number = 0;

  constructor(folder, engine) {
    this.folder = folder;
    this.payload = path.join(folder, 'payload');
    this.engine = engine;
    mkdirSync(this.payload);
    writePayload(this.payload);
  }

  workspace() {
    this.#number += 1;
    const folder = path.join(this.folder, String(this.#number));
    mkdirSync(folder);
    return new Workspace(folder, this);
  }
}

function isFolder(file) {
  return lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
