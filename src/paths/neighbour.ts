import path from 'node:path';
import { unlessAborted } from '../engine/call.js';
import type { FileSystem, ListingLimits } from '../filesystem.js';
import { isShareOrDevice } from './allow-list.js';

/** Where the look at one folder stops: it must not hold up an error. */
export const LIMITS: ListingLimits = { names: 5000, ms: 50 };
/** A folder that was read is not read again for this long, milliseconds: a thousand calls may ask about it at once. */
const KEEP_MS = 100;
/** A folder that has not answered for this long is passed over, milliseconds. */
const PATIENCE_MS = 1000;

type Names = ReadonlyMap<string, readonly string[]>;

/** Looks for files beside missing ones. */
export class Neighbours {
  readonly #files: FileSystem;
  readonly #limits: ListingLimits;
  readonly #folders = new Map<string, Promise<Names>>();

  /** @param limits where the look at one folder stops. */
  constructor(files: FileSystem, limits = LIMITS) {
    this.#files = files;
    this.#limits = limits;
  }

  /**
   * The path of the one name beside a missing one that differs only by Unicode form, letter case or a look-alike space
   * (macOS puts U+202F into the names of screenshots), or undefined where none or several do. Never looks at a network
   * share. The name of a link that leads nowhere is found as well.
   */
  async nearlyMatching(absolute: string): Promise<string | undefined> {
    if (isShareOrDevice(absolute)) return undefined;
    const folder = path.dirname(absolute);
    const names = await this.#namesIn(folder);
    const [only, ...others] = names.get(fold(path.basename(absolute))) ?? [];
    return only === undefined || others.length > 0 ? undefined : path.join(folder, only);
  }

  #namesIn(folder: string): Promise<Names> {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const reading = this.#read(folder);
    this.#folders.set(folder, reading);
    const forget = () => this.#folders.delete(folder);
    void reading.then(() => setTimeout(forget, KEEP_MS).unref(), forget);
    return reading;
  }

  async #read(folder: string): Promise<Names> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const names =
      (await unlessAborted(this.#files.ask('names', { folder, limits: this.#limits }, signal), signal)) ?? [];
    const folded = new Map<string, string[]>();
    for (const name of names) {
      const alike = folded.get(fold(name));
      if (alike === undefined) folded.set(fold(name), [name]);
      else alike.push(name);
    }
    return folded;
  }
}

/** NFC after lower-casing, with every space separator (U+00A0, U+202F …) as a plain space. */
function fold(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/\p{Zs}/gu, ' ');
}
