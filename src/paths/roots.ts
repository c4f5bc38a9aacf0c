import type { FileSystem } from '../filesystem.js';
import { isInside } from './allow-list.js';

/** A root that has not answered for this long allows nothing until it does, milliseconds. */
const PATIENCE_MS = 2000;
/**
 * A look that has not come back for this long is given up for a new one, milliseconds: one at a share that was taken
 * away and mounted anew never comes back. Each further one of the same root has twice the time, up to the second figure:
 * every look that hangs holds a thread.
 */
const RENEW_MS = 15_000;
const MOST_RENEW_MS = 240_000;

/** What became of one look at a root. */
export type RootState = { readonly real: string } | 'missing' | 'silent';

/** One look at all roots, which the paths of one call share. */
export interface RootsLook {
  readonly states: Promise<readonly RootState[]>;
  /** Whether a real path is inside a root. True as soon as one says so; a root that is silent says nothing. */
  allows(real: string): Promise<boolean>;
}

interface OpenLook {
  readonly since: number;
  readonly renewMs: number;
  readonly state: Promise<RootState>;
  giveUp(): void;
}

/** The allowed folders. They are looked at for each call: one that was missing may be there by now, or lead elsewhere. */
export class Roots {
  readonly #roots: readonly string[];
  readonly #files: FileSystem;
  /** A root on a dead network share is asked about once, not by every call anew. */
  readonly #open = new Map<string, OpenLook>();

  constructor(roots: readonly string[], files: FileSystem) {
    this.#roots = roots;
    this.#files = files;
  }

  /** Never rejects. */
  look(): RootsLook {
    const states = this.#roots.map((root) => this.#stateOf(root));
    return {
      states: Promise.all(states),
      allows: (real) =>
        new Promise((resolve) => {
          const ask = async (state: Promise<RootState>) => {
            const known = await state;
            if (typeof known === 'object' && isInside(known.real, real)) resolve(true);
          };
          void Promise.all(states.map(ask)).then(() => resolve(false));
        }),
    };
  }

  #stateOf(root: string): Promise<RootState> {
    let open = this.#open.get(root) ?? this.#ask(root);
    if (performance.now() - open.since > open.renewMs) {
      open.giveUp();
      open = this.#ask(root, Math.min(2 * open.renewMs, MOST_RENEW_MS));
    }
    const left = open.since + PATIENCE_MS - performance.now();
    if (left <= 0) return Promise.resolve('silent');
    return new Promise((resolve) => {
      // The answer may have come while the event loop was busy: immediates run after it has been seen.
      const timer = setTimeout(() => setImmediate(resolve, 'silent'), left);
      void open.state.then((state) => {
        clearTimeout(timer);
        resolve(state);
      });
    });
  }

  #ask(root: string, renewMs = RENEW_MS): OpenLook {
    // A look at a root is no single call's own.
    const controller = new AbortController();
    const look = async (): Promise<RootState> => {
      try {
        const place = await this.#files.ask('place', { path: root }, controller.signal);
        if (place === undefined) return 'silent';
        return place.missing ? 'missing' : { real: place.real };
      } catch {
        return 'silent';
      }
    };
    const open = { since: performance.now(), renewMs, state: look(), giveUp: () => controller.abort() };
    this.#open.set(root, open);
    void open.state.then(() => {
      if (this.#open.get(root) === open) this.#open.delete(root);
    });
    return open;
  }
}
