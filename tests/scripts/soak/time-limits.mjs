/** What the contract gives an answer after the call's deadline, milliseconds. */
const GRACE_MS = 1000;
/** The longest that one huge line may hold up what comes before and after it, milliseconds. */
const HUGE_LINE_MS = 500;
/** How much of this program's own delays is added to each limit: the server has its share of the same machine. */
const LAG_FACTOR = 5;
/** After its limit a request is waited for this much longer, then it counts as lost: milliseconds, timed and untimed. */
const LOST_MS = 2000;
const LOST_UNTIMED_MS = 60_000;

/**
 * When answers are due. A limit grows with what would hold up any server: a busy machine, a client that does not read, huge
 * lines. A run that is not timed only asks whether an answer comes at all.
 */
export class TimeLimits {
  #pausedSince;
  #paused = 0;
  #hugeLines = 0;

  constructor({ timed, lag }, timeoutMs) {
    this.timed = timed;
    this.lag = lag;
    this.timeoutMs = timeoutMs;
  }

  /** A request is about to be sent, or its cancellation. */
  begin(entry) {
    entry.sent = performance.now();
    entry.taken = undefined;
    entry.paused = this.#pausedTotal();
    entry.hugeLines = this.#hugeLines;
  }

  /** The system has taken it: the server can read it. */
  taken(entry) {
    entry.taken = performance.now();
  }

  pause() {
    this.#pausedSince ??= performance.now();
  }

  resume() {
    this.#paused = this.#pausedTotal();
    this.#pausedSince = undefined;
  }

  hugeLine() {
    this.#hugeLines += 1;
  }

  /** How long an answer is over its limit, in words, or undefined where it is not. */
  lateness(entry) {
    if (!this.timed || entry.taken === undefined) return undefined;
    const over = performance.now() - this.#limit(entry);
    if (over <= 0) return undefined;
    const after = Math.round(performance.now() - entry.taken);
    return `was answered ${after} ms after ${entry.cancelled ? 'its cancellation' : 'it was sent'}, ${Math.round(over)} too late`;
  }

  /** Whether an answer is not to be waited for any longer. */
  isLost(entry) {
    return performance.now() > this.#limit(entry) + (this.timed ? LOST_MS : LOST_UNTIMED_MS);
  }

  /** The patience with what should take `ms` at most, as a function of when the wait began. */
  patience(ms) {
    return (since) => (this.timed ? ms + this.#lagSince(since) : ms + LOST_UNTIMED_MS);
  }

  /** A cancelled request may have an answer under way, which has the grace alone. */
  #limit(entry) {
    const from = entry.taken ?? entry.sent;
    const allowed = entry.cancelled ? 0 : this.timeoutMs;
    const hugeLines = (this.#hugeLines - entry.hugeLines + (entry.huge ? 1 : 0)) * HUGE_LINE_MS;
    return from + allowed + GRACE_MS + hugeLines + this.#pausedTotal() - entry.paused + this.#lagSince(from);
  }

  #lagSince(moment) {
    return LAG_FACTOR * this.lag.since(moment);
  }

  #pausedTotal() {
    return this.#paused + (this.#pausedSince === undefined ? 0 : performance.now() - this.#pausedSince);
  }
}
