import { failed } from '../errors.js';
import { type Call, type Phase, stoppedCall, unlessAborted } from './call.js';
import type { Outcome } from './types.js';

/** What a shared run goes by: its signal aborts when nobody waits for it any more. */
export interface SharedRun {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Told what the run is now at: whoever waits for it may be asked what he waited for. */
  readonly enter: (phase: Phase) => void;
}

interface Entry {
  readonly outcome: Promise<Outcome>;
  readonly controller: AbortController;
  readonly phase: Phase;
  waiting: number;
  settled: boolean;
}

/**
 * Remembers answers that stay the same while the engine does. Concurrent first calls share one run, which is stopped
 * only when the last of them is gone. Failures and error envelopes are not kept.
 */
export class SharedAnswers {
  readonly #entries = new Map<string, Entry>();

  /** The outcome under `key`; for a call that is stopped before, a failure that says what its run was at. */
  async get(key: string, call: Call, run: (bounds: SharedRun) => Promise<Outcome>): Promise<Outcome> {
    const entry = this.#entries.get(key) ?? this.#start(key, call.timeoutMs, run);
    entry.waiting += 1;
    const outcome = await unlessAborted(entry.outcome, call.signal);
    entry.waiting -= 1;
    if (entry.waiting === 0 && !entry.settled) {
      this.#forget(key, entry);
      entry.controller.abort(call.signal.reason);
    }
    return outcome ?? failed(stoppedCall(call, entry.phase));
  }

  #start(key: string, timeoutMs: number, run: (bounds: SharedRun) => Promise<Outcome>): Entry {
    const controller = new AbortController();
    let phase: Phase = 'waiting for the engine to be found';
    const enter = (entered: Phase) => {
      phase = entered;
    };
    const entry: Entry = {
      outcome: run({ signal: controller.signal, timeoutMs, enter }),
      controller,
      get phase() {
        return phase;
      },
      waiting: 0,
      settled: false,
    };
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
