// What a run has seen, in numbers.

export class Tally {
  #sums = new Map();
  #peaks = new Map();
  #outcomes = new Map();

  add(name, number = 1) {
    this.#sums.set(name, this.sum(name) + number);
  }

  sum(name) {
    return this.#sums.get(name) ?? 0;
  }

  /** Keeps the largest of what is told under a name. */
  most(name, value) {
    this.#peaks.set(name, Math.max(value, this.#peaks.get(name) ?? 0));
  }

  peak(name) {
    return this.#peaks.get(name);
  }

  /** Counts an answer by its status or error code. */
  count(outcome) {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  /** Lines for a person. */
  rows() {
    const sums = ['scripts', 'steps', 'servers', 'engine processes', 'requests', 'answers', 'cancelled', 'odd lines'];
    const whole = (value, unit) => (value === undefined ? 'not seen' : `${Math.round(value)} ${unit}`);
    return [
      ...sums.map((name) => [name, this.sum(name)]),
      ['largest resident memory', whole(this.peak('memory'), 'MiB')],
      ['most held at rest', whole(this.peak('held'), 'MiB')],
      ['most processes at rest', whole(this.peak('helpers'), 'processes')],
      ['longest end of a server', whole(this.peak('end'), 'ms')],
      ...[...this.#outcomes]
        .sort(([, one], [, other]) => other - one)
        .map(([outcome, number]) => [`answered ${outcome}`, number]),
    ];
  }
}
