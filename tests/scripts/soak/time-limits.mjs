/** What the contract gives an answer after the call's deadline, milliseconds. */
const GRACE_MS = 1000;
/** The longest that one huge line may hold up what comes before and after it, milliseconds. */
const HUGE_LINE_MS = 500;
/** What the machine kept the server and this program waiting is added to each limit, some times. */
const CONTENTION_FACTOR = 2;
/** What lies before an answer takes its time as well: milliseconds for each answer, and for each byte of one. */
const ANSWER_MS = 1;
const BYTE_MS = 50 / 2 ** 20;
/** The part of a call's time that the machine may keep the server waiting before it counts as disturbed. */
const DISTURBED = 0.1;
/** After its limit a request is waited for this much longer, then it counts as lost: milliseconds, timed and untimed. */
const LOST_MS = 2000;
const LOST_UNTIMED_MS = 30_000;

/**
 * When answers are due. A limit grows with what would hold up any server: a busy machine, a client that does not read, huge
 * lines. A run that is not timed only asks whether an answer comes at all.
 */
export class TimeLimits {
  #pausedSince;
  #paused = 0;
  #hugeLines = 0;
  #work = 0;

  constructor({ timed, contention }, timeoutMs) {
    this.timed = timed;
    this.contention = contention;
    this.timeoutMs = timeoutMs;
  }

  /** A request is about to be sent. */
  begin(entry) {
    entry.sent = performance.now();
    entry.taken = undefined;
    entry.paused = this.#pausedTotal();
    entry.hugeLines = this.#hugeLines;
    entry.work = this.#work;
    entry.waited = this.contention.waited();
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

  /** An answer of so many bytes was read. */
  answer(bytes) {
    this.#work += ANSWER_MS + bytes * BYTE_MS;
  }

  /** How long an answer is over its limit, in words, or undefined where it is not. */
  lateness(entry) {
    if (!this.timed || entry.taken === undefined || entry.cancelled) return undefined;
    const over = performance.now() - this.#limit(entry);
    if (over <= 0) return undefined;
    return `was answered ${Math.round(performance.now() - entry.taken)} ms after it was sent, ${Math.round(over)} too late`;
  }

  /** Whether nothing but the server itself can have kept an answer waiting: time counts only then. */
  isUndisturbed(entry) {
    const waited = this.contention.waited() - entry.waited;
    const disturbed = this.#hugeLines > entry.hugeLines || this.#pausedTotal() > entry.paused;
    return this.timed && !disturbed && waited < DISTURBED * this.timeoutMs;
  }

  /** Whether an answer is not to be waited for any longer. */
  isLost(entry) {
    return performance.now() > this.#limit(entry) + (this.timed ? LOST_MS : LOST_UNTIMED_MS);
  }

  /** How patient one has to be, from now on, with what should take `ms` at most: a function that gives milliseconds. */
  patience(ms) {
    const waited = this.contention.waited();
    return () => ms + (this.timed ? CONTENTION_FACTOR * (this.contention.waited() - waited) : LOST_UNTIMED_MS);
  }

  #limit(entry) {
    const hugeLines = (this.#hugeLines - entry.hugeLines + (entry.huge ? 1 : 0)) * HUGE_LINE_MS;
    const paused = this.#pausedTotal() - entry.paused;
    const waited = CONTENTION_FACTOR * (this.contention.waited() - entry.waited);
    const work = this.#work - entry.work;
    return (entry.taken ?? entry.sent) + this.timeoutMs + GRACE_MS + hugeLines + paused + waited + work;
  }

  #pausedTotal() {
    return this.#paused + (this.#pausedSince === undefined ? 0 : performance.now() - this.#pausedSince);
  }
}
