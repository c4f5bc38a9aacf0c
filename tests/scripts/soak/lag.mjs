/** How often one looks, milliseconds. */
const TICK_MS = 20;
/** Delays that are kept, milliseconds. */
const KEPT_MS = 120_000;

/**
 * How late this program's own timers are: what a busy machine does to it, it does to the server. Time limits grow by a
 * multiple of it.
 */
export class Lag {
  #late = [];

  start() {
    let expected = performance.now() + TICK_MS;
    this.timer = setInterval(() => {
      const now = performance.now();
      if (now - expected > TICK_MS) this.#late.push({ at: now, ms: now - expected });
      while (this.#late.length > 0 && this.#late[0].at < now - KEPT_MS) this.#late.shift();
      expected = now + TICK_MS;
    }, TICK_MS);
    return this;
  }

  /** The longest delay since a moment of `performance.now()`, milliseconds. */
  since(moment) {
    return this.#late.reduce((most, { at, ms }) => (at >= moment && ms > most ? ms : most), 0);
  }

  stop() {
    clearInterval(this.timer);
  }
}
