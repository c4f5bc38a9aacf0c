/** Events without a name: whoever waits looks again whether what it waits for is so. */
export class Events {
  #waiting = new Set();

  happened() {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves at the next event, or after some milliseconds. */
  next(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
