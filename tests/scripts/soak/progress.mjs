/** Between two lines where the line cannot be written over, milliseconds. */
const EVERY_MS = 10_000;
const REFRESH_MS = 200;

/** How far a run is, on stderr: on a terminal one line that is written over, elsewhere a line now and then. */
export class Progress {
  #timer;
  #terminal = process.stderr.isTTY === true;

  /** @param text gives the line. */
  start(text) {
    const write = () =>
      process.stderr.write(this.#terminal ? `\r\u001b[K${text().slice(0, process.stderr.columns - 1)}` : `${text()}\n`);
    this.#timer = setInterval(write, this.#terminal ? REFRESH_MS : EVERY_MS);
  }

  stop() {
    clearInterval(this.#timer);
    if (this.#terminal) process.stderr.write('\r\u001b[K');
  }
}

/** Minutes and seconds. */
export function clock(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
