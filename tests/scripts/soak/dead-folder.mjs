// The folder of a script that is on a file system which never answers, and what leads there.
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { mountDead } from '../dead-mount.mjs';

/** What a script calls it: by its own name, and by links among the documents to it and to a document in it. */
const PLACES = { '{dead}': 'dead', '{dead-folder}': 'docs/dead-folder', '{dead-link}': 'docs/dead-link.pdf' };

/** Whether a script cannot be played without it. */
export function needsDead(script) {
  return /\{dead|"deadRoot":true/.test(JSON.stringify(script));
}

export class DeadFolder {
  #mount;
  #places;

  /** @param folder the script's. Nothing is there until {@link make}. */
  constructor(folder) {
    this.folder = path.join(folder, PLACES['{dead}']);
    this.#places = Object.entries(PLACES).map(([name, place]) => [name, path.join(folder, place)]);
  }

  /** @throws Error where it cannot be made here. */
  make() {
    mkdirSync(this.folder);
    const mount = mountDead(this.folder);
    if (typeof mount === 'string') throw new Error(mount);
    this.#mount = mount;
    const [, folder, link] = this.#places.map(([, place]) => place);
    symlinkSync(this.folder, folder);
    symlinkSync(path.join(this.folder, 'linked.pdf'), link);
  }

  /** Lets all go that wait for it. The folder is an empty one again. */
  end() {
    this.#mount?.end();
    this.#mount = undefined;
  }

  /** A text of a script with the places that it names. */
  expand(text) {
    return this.#places.reduce((given, [name, place]) => given.replaceAll(name, place), text);
  }

  /** Whether the look at a path never comes back. */
  holds(requested) {
    return typeof requested === 'string' && this.#places.some(([, place]) => requested.includes(place));
  }
}
