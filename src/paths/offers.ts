import type { Call } from '../engine/call.js';
import type { FileSystem, ListingLimits } from '../filesystem.js';
import { isShareOrDevice } from './allow-list.js';
import { Neighbours } from './neighbour.js';
import type { Offer } from './refusal.js';
import { toAbsolute } from './requested.js';
import { isWsl, mountedDrive, type Respelling, respellings, windowsPath } from './respelled.js';
import type { RootsLook } from './roots.js';

export interface OfferSettings {
  /** Where the look for a name that nearly matches stops. */
  readonly listing?: ListingLimits | undefined;
  /** Whether the server runs under WSL; asked when a Windows path leads nowhere. */
  readonly isWsl?: (() => boolean) | undefined;
}

/** Looks for what a path that leads nowhere may have meant. Offers what exists and the roots of `look` allow, or nothing. */
export class Offers {
  readonly #files: FileSystem;
  readonly #neighbours: Neighbours;
  readonly #isWsl: () => boolean;

  constructor(files: FileSystem, { listing, isWsl: wsl = isWsl }: OfferSettings) {
    this.#files = files;
    this.#neighbours = new Neighbours(files, listing);
    this.#isWsl = wsl;
  }

  /** What the caller of a path that leads nowhere may have meant: an existing path that the roots allow. */
  async for(requested: string, absolute: string, call: Call, look?: RootsLook): Promise<Offer | undefined> {
    const respelled = await this.respelled(requested, call, look);
    if (respelled !== undefined) return respelled;
    const neighbour = await this.#neighbours.nearlyMatching(absolute);
    if (neighbour === undefined || neighbour === absolute || !(await this.#isThere(neighbour, call, look)))
      return undefined;
    return { path: neighbour, difference: 'Its name differs only in letter case, Unicode form or a kind of space.' };
  }

  /** The path that is meant by one which was written as another program writes it. */
  async respelled(requested: string, call: Call, look?: RootsLook): Promise<Offer | undefined> {
    for (const { path: other, difference } of [...respellings(requested), ...this.#asMounted(requested)]) {
      const target = toAbsolute(other);
      if ('failure' in target || isShareOrDevice(target.absolute)) continue;
      if (await this.#isThere(target.absolute, call, look))
        return { path: target.absolute, difference: `It is the path ${difference}.` };
    }
    return undefined;
  }

  /** Where WSL has the drive that a Windows path names. */
  #asMounted(requested: string): Respelling[] {
    const windows = process.platform === 'win32' ? undefined : windowsPath(requested);
    const mounted = windows === undefined || !this.#isWsl() ? undefined : mountedDrive(windows);
    return mounted === undefined
      ? []
      : [{ path: mounted, difference: 'of the same file under WSL, where this server runs' }];
  }

  async #isThere(absolute: string, call: Call, look: RootsLook | undefined): Promise<boolean> {
    const place = await this.#files.ask('place', { path: absolute }, call.signal);
    if (place === undefined || place.missing) return false;
    return look === undefined || look.allows(place.real);
  }
}
