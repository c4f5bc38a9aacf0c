import { readFileSync } from 'node:fs';

/** How often one looks, milliseconds. */
const TICK_MS = 20;

/**
 * How long this program and the server were kept waiting by a busy machine. Linux counts, for each process, how long it
 * stood ready without a processor; elsewhere it is how late this program's own timers are.
 */
export class Contention {
  #late = 0;
  /** What servers that are gone, and this program before the present one, waited. */
  #past = 0;
  #server;

  start() {
    let expected = performance.now() + TICK_MS;
    this.timer = setInterval(() => {
      const now = performance.now();
      this.#late += Math.max(0, now - expected);
      expected = now + TICK_MS;
    }, TICK_MS);
    return this;
  }

  /** Counts for this server from now on. */
  watch(pid) {
    this.#past = this.waited();
    this.#server = { pid, since: runDelay('self') ?? 0, own: 0 };
  }

  /** Milliseconds so far; only differences mean something. */
  waited() {
    const own = runDelay('self');
    if (own === undefined || this.#server === undefined) return this.#past + this.#late;
    // A server that is gone keeps what it had.
    this.#server.own = runDelay(this.#server.pid) ?? this.#server.own;
    return this.#past + (own - this.#server.since) + this.#server.own;
  }

  stop() {
    clearInterval(this.timer);
  }
}

/** How long a process stood ready without running, milliseconds. */
function runDelay(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return undefined;
  }
}
