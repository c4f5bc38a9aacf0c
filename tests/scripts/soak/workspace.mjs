import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DeadFolder } from './dead-folder.mjs';
import { Documents } from './documents.mjs';
import { writeEngine, writePayload } from './faults.mjs';
import { isAlive, runsIn } from './processes.mjs';

export class Workspace {
  #known = 0;
  /** Every process of the engine that has been noted and not been seen gone. */
  #pids = new Set();
  engineStarts = 0;

  /** @param folder an empty one. @param payload what the faults print. @param engine the real engine. */
  constructor(folder, { payload, engine }) {
    this.folder = folder;
    this.bin = writeEngine(folder, { engine, payload });
    this.documents = new Documents(folder);
    this.dead = new DeadFolder(folder);
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
    for (const name of ['gate', 'gated']) rmSync(path.join(this.folder, name), { force: true });
  }

  /** How many processes wait at the gate. */
  get atGate() {
    const pids = this.#notes('gated').split('\n').slice(0, -1);
    return pids.filter((pid) => isAlive(Number(pid), this.folder)).length;
  }

  /**
   * Opens the engine's file for writing, so that it cannot be executed (ETXTBSY). @returns what ends that. Where it is being
   * executed at this very moment, the system refuses in turn, and nothing is held.
   */
  holdEngine() {
    try {
      const descriptor = openSync(this.bin, 'r+');
      return () => closeSync(descriptor);
    } catch (error) {
      if (error.code !== 'ETXTBSY') throw error;
      return () => {};
    }
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
    this.dead.end();
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
  #present;

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
    this.#present = new Workspace(folder, this);
    return this.#present;
  }

  /** Has nothing wait for a dead file system any longer: whoever removes the folder would wait as well. */
  endDead() {
    this.#present?.dead.end();
  }
}
