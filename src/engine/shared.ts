import { type Call, unlessAborted } from './call.js';
import type { Outcome } from './types.js';

interface Entry {
  readonly outcome: Promise<Outcome>;
  readonly controller: AbortController;
  waiting: number;
  settled: boolean;
}

/**
 * Remembers answers that stay the same while the engine does. Concurrent first calls share one run, which is stopped
 * only when the last of them is gone. Failures and error envelopes are not kept.
 */
export class SharedAnswers {
  readonly #entries = new Map<string, Entry>();

  /** The outcome under `key`, or undefined once the call's signal has aborted. `run` is stopped by its signal. */
  async get(key: string, call: Call, run: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome | undefined> {
    const entry = this.#entries.get(key) ?? this.#start(key, run);
    entry.waiting += 1;
    const outcome = await unlessAborted(entry.outcome, call.signal);
    entry.waiting -= 1;
    if (entry.waiting === 0 && !entry.settled) {
      this.#forget(key, entry);
      entry.controller.abort(call.signal.reason);
    }
    return outcome;
  }

  #start(key: string, run: (signal: AbortSignal) => Promise<Outcome>): Entry {
    const controller = new AbortController();
    const entry: Entry = { outcome: run(controller.signal), controller, waiting: 0, settled: false };
    this.#entries.set(key, entry);
    const settle = (outcome?: Outcome) => {
      entry.settled = true;
      if (outcome?.kind !== 'answer' || outcome.value.status === 'error') this.#forget(key, entry);
    };
    entry.outcome.then(settle, () => settle());
    return entry;
  }

  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
