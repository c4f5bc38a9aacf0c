import path from 'node:path';
import { type Call, stoppedCall, unlessAborted } from './engine/call.js';
import type { CheckedInput } from './engine/types.js';
import { PATH_LIMIT, quote } from './errors.js';
import type { FileSystem, ListingLimits } from './filesystem.js';
import { isRefusedByText } from './paths/allow-list.js';
import { Neighbours } from './paths/neighbour.js';
import { notAllowed, notFound } from './paths/refusal.js';
import { type AbsolutePath, toAbsolute } from './paths/requested.js';
import { Roots, type RootsLook } from './paths/roots.js';

/** Paths of a call that are looked at side by side: a call that names a dead share takes no more than its part. */
const AT_ONCE = 16;

export interface PathSettings {
  /** `DECKPROBE_MCP_ROOTS`, or undefined when every path may be read. */
  readonly roots: readonly string[] | undefined;
  readonly files: FileSystem;
  /** Where the look for a name that nearly matches stops. */
  readonly listing?: ListingLimits;
}

/** Turns paths as callers write them into paths that the engine may read. */
export class Paths {
  readonly #configured: readonly string[] | undefined;
  readonly #roots: Roots;
  readonly #files: FileSystem;
  readonly #neighbours: Neighbours;

  constructor({ roots, files, listing }: PathSettings) {
    this.#configured = roots;
    this.#roots = new Roots(roots ?? [], files);
    this.#files = files;
    this.#neighbours = new Neighbours(files, listing);
  }

  /**
   * A path that is absolute, existing and, where there are roots, the real path that was found inside one of them. Every
   * trouble but a missing file is left to the engine to tell. Never rejects, and never outlasts the call: fails with
   * `MCP_INVALID_ARGUMENT`, `MCP_PATH_NOT_FOUND`, `MCP_PATH_NOT_ALLOWED`, or as the call was stopped.
   */
  check(requested: string, call: Call): Promise<CheckedInput> {
    return this.#checkWith(requested, call, this.#look());
  }

  /** {@link check} for many paths, in order. One look at the roots serves them all. */
  async checkAll(requested: readonly string[], call: Call): Promise<CheckedInput[]> {
    const look = this.#look();
    const checked: CheckedInput[] = [];
    let next = 0;
    const work = async () => {
      while (next < requested.length) {
        const index = next;
        next += 1;
        checked[index] = await this.#checkWith(requested[index] ?? '', call, look);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return checked;
  }

  /** Lines for the operator on each root: its real path, or why it allows nothing. */
  async describeRoots(): Promise<string[]> {
    const states = await this.#roots.look().states;
    return (this.#configured ?? []).map((root, index) => {
      const state = states[index];
      if (typeof state === 'object')
        return `root ${quote(root, PATH_LIMIT)} (real path ${quote(state.real, PATH_LIMIT)})`;
      const why = state === 'silent' ? 'does not answer' : 'does not exist';
      return `warning: root ${quote(root, PATH_LIMIT)} ${why} and allows nothing until it does`;
    });
  }

  #look(): RootsLook | undefined {
    return this.#configured && this.#roots.look();
  }

  async #checkWith(requested: string, call: Call, look: RootsLook | undefined): Promise<CheckedInput> {
    const target = toAbsolute(requested);
    if ('failure' in target) return target;
    const stopped = () => ({ failure: stoppedCall(call, 'waiting for the path to be checked') });
    if (call.signal.aborted) return stopped();
    try {
      const checking =
        look === undefined ? this.#find(requested, target, call) : this.#findInside(requested, target, call, look);
      const checked = await unlessAborted(checking, call.signal);
      return checked ?? stopped();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return {
        failure: { code: 'MCP_ENGINE_FAILURE', message: `${quote(target.absolute)} cannot be looked at: ${reason}` },
      };
    }
  }

  /** Undefined when the call has been stopped. */
  async #find(requested: string, target: AbsolutePath, call: Call): Promise<CheckedInput | undefined> {
    const { absolute } = target;
    const missing = await this.#files.ask('missing', { path: absolute }, call.signal);
    if (missing === undefined) return undefined;
    if (!missing) return { input: { requested, path: absolute } };
    return { failure: notFound(requested, target, await this.#neighbourOf(absolute, call)) };
  }

  async #findInside(
    requested: string,
    target: AbsolutePath,
    call: Call,
    look: RootsLook,
  ): Promise<CheckedInput | undefined> {
    const roots = this.#configured ?? [];
    const { absolute } = target;
    if (isRefusedByText(roots, absolute)) return { failure: notAllowed(target, roots) };
    const place = await this.#files.ask('place', { path: absolute }, call.signal);
    if (place === undefined) return undefined;
    if (!(await look.allows(place.real))) return { failure: notAllowed(target, roots, await look.states) };
    if (place.missing) return { failure: notFound(requested, target, await this.#neighbourOf(absolute, call, look)) };
    // The engine reads what was checked, so that a link swapped meanwhile changes nothing, but routes and displays by
    // the name that was asked for.
    const name = path.basename(absolute);
    const recheck = () => this.check(requested, call);
    return { input: { requested, path: place.real, ...(name !== path.basename(place.real) && { name }), recheck } };
  }

  /** The one path that a missing one nearly names, where something is there and the roots allow it. */
  async #neighbourOf(absolute: string, call: Call, look?: RootsLook): Promise<string | undefined> {
    const neighbour = await this.#neighbours.nearlyMatching(absolute);
    if (neighbour === undefined || neighbour === absolute) return undefined;
    const place = await this.#files.ask('place', { path: neighbour }, call.signal);
    if (place === undefined || place.missing) return undefined;
    return look === undefined || (await look.allows(place.real)) ? neighbour : undefined;
  }
}
