import path from 'node:path';
import { type Call, startCall, stoppedCall, unlessAborted } from './engine/call.js';
import type { CheckedInput } from './engine/types.js';
import { type Failure, PATH_LIMIT, quote } from './errors.js';
import type { FileSystem, Status } from './filesystem.js';
import { isRefusedByText } from './paths/allow-list.js';
import { type OfferSettings, Offers } from './paths/offers.js';
import { isNoFile, notAllowed, notFound } from './paths/refusal.js';
import { type AbsolutePath, toAbsolute } from './paths/requested.js';
import { Roots, type RootsLook } from './paths/roots.js';
import { isDevice, isShortName } from './paths/windows.js';

/** Paths of a call that are looked at side by side: a call that names a dead share takes no more than its part. */
const AT_ONCE = 16;
/**
 * A path's look may take this long, however many paths there are, milliseconds: when others of them are the first that a file
 * system does not answer, its own waits until a process for it has been started.
 */
const ENOUGH_MS = 2000;
const CHECKING = 'waiting for the path to be checked';

export interface PathSettings extends OfferSettings {
  /** `DECKPROBE_MCP_ROOTS`, or undefined when every path may be read. */
  readonly roots: readonly string[] | undefined;
  readonly files: FileSystem;
}

/** Turns paths as callers write them into paths that the engine may read. */
export class Paths {
  readonly #configured: readonly string[] | undefined;
  readonly #roots: Roots;
  readonly #files: FileSystem;
  readonly #offers: Offers;

  constructor({ roots, files, ...offers }: PathSettings) {
    this.#configured = roots;
    this.#roots = new Roots(roots ?? [], files);
    this.#files = files;
    this.#offers = new Offers(files, offers);
  }

  /**
   * A path that is absolute, existing and, where there are roots, the real path that was found inside one of them. Every
   * trouble but a missing file is left to the engine to tell. Never rejects, and never outlasts the call: fails with
   * `MCP_INVALID_ARGUMENT`, `MCP_PATH_NOT_FOUND`, `MCP_PATH_NOT_ALLOWED`, or as the call was stopped.
   */
  check(requested: string, call: Call): Promise<CheckedInput> {
    return this.#checkWith(requested, call, this.#look());
  }

  /**
   * {@link check} for many paths, in order. One look at the roots serves them all. Each path has its part of the first
   * half of the call's time, so that those on a file system that never answers leave time for the others. Where that is
   * little, the next one has its turn after it, while the look goes on for a while.
   */
  async checkAll(requested: readonly string[], call: Call): Promise<CheckedInput[]> {
    const look = this.#look();
    const rounds = Math.ceil(requested.length / AT_ONCE);
    const partMs = requested.length === 1 ? call.timeoutMs : Math.ceil(call.timeoutMs / 2 / rounds);
    const lookMs = Math.max(partMs, Math.min(ENOUGH_MS, Math.ceil(call.timeoutMs / 4)));
    const checking: Promise<CheckedInput>[] = [];
    const checkOne = async (path: string): Promise<CheckedInput> => {
      const part = startCall(call.signal, lookMs);
      const result = await this.#checkWith(path, part, look, call);
      part.end();
      const gaveUp = 'failure' in result && part.signal.aborted && !call.signal.aborted;
      return gaveUp ? { failure: partOver(lookMs, call) } : result;
    };
    const work = async () => {
      for (let path = requested[checking.length]; path !== undefined; path = requested[checking.length]) {
        const each = checkOne(path);
        checking.push(each);
        const turn = startCall(call.signal, partMs);
        await unlessAborted(each, turn.signal);
        turn.end();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return Promise.all(checking);
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

  /** @param whole the call that `call` is a part of. */
  async #checkWith(
    requested: string,
    call: Call,
    look: RootsLook | undefined,
    whole: Call = call,
  ): Promise<CheckedInput> {
    const target = toAbsolute(requested);
    if ('failure' in target) return target;
    if (isDevice(target.absolute)) return { failure: isNoFile(target) };
    const stopped = () => ({ failure: stoppedCall(whole.signal.aborted ? whole : call, CHECKING) });
    if (call.signal.aborted) return stopped();
    try {
      const checking =
        look === undefined
          ? this.#find(requested, target, call)
          : this.#findInside(requested, target, call, look, whole);
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
    const status = await this.#files.ask('status', { path: absolute }, call.signal);
    if (status === undefined) return undefined;
    if (!status.missing) {
      const named = isShortName(path.basename(absolute)) ? await this.#byLongName(absolute, call) : absolute;
      return named === undefined ? undefined : { input: { requested, path: named, ...sizeOf(status) } };
    }
    return { failure: notFound(requested, target, await this.#offers.for(requested, absolute, call)) };
  }

  async #findInside(
    requested: string,
    target: AbsolutePath,
    call: Call,
    look: RootsLook,
    whole: Call,
  ): Promise<CheckedInput | undefined> {
    const roots = this.#configured ?? [];
    const { absolute } = target;
    if (isRefusedByText(roots, absolute)) return { failure: notAllowed(target, roots) };
    const place = await this.#files.ask('place', { path: absolute }, call.signal);
    if (place === undefined) return undefined;
    const checkedAt = performance.now();
    if (isDevice(place.real) || !(await look.allows(place.real))) {
      const offer = await this.#offers.respelled(requested, call, look);
      return { failure: notAllowed(target, roots, await look.states, offer) };
    }
    if (place.missing)
      return { failure: notFound(requested, target, await this.#offers.for(requested, absolute, call, look)) };
    // The engine reads what was checked, so that a link swapped meanwhile changes nothing. It routes and displays by the
    // name of a link that was asked for; any other name that differs is the same name in another spelling.
    const name = path.basename(absolute);
    const isLink =
      name !== path.basename(place.real) && (await this.#files.ask('isLink', { path: absolute }, call.signal));
    if (isLink === undefined) return undefined;
    const recheck = () => this.check(requested, whole);
    const named = isLink && { name };
    return { input: { requested, path: place.real, ...sizeOf(place), ...named, recheck, checkedAt } };
  }

  /** A path whose last part is a short name, by the file's own name. A link keeps its name: it is what routes. */
  async #byLongName(absolute: string, call: Call): Promise<string | undefined> {
    const isLink = await this.#files.ask('isLink', { path: absolute }, call.signal);
    if (isLink !== false) return isLink && absolute;
    const place = await this.#files.ask('place', { path: absolute }, call.signal);
    return place && path.join(path.dirname(absolute), path.basename(place.real));
  }
}

function sizeOf({ size }: Status): { size?: number } {
  return size === undefined ? {} : { size };
}

/** The failure of a path of a batch whose file system did not answer in time. */
function partOver(partMs: number, { timeoutMs }: Call): Failure {
  return {
    code: 'MCP_TIMEOUT',
    message: `its file system did not answer within ${partMs} ms, this path's part of the call's limit of ${timeoutMs} ms (DECKPROBE_MCP_TIMEOUT_MS)`,
    hint: 'Go on with the other files, and try this one again when the network share it may be on is back.',
  };
}
