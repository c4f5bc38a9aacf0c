// The server's process with its streams in the open: lines in, lines out, a reader that can stop, and its end.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MAIN } from '../native.mjs';

const COLLECT = fileURLToPath(new URL('./collect-garbage.mjs', import.meta.url));
const HELD = /^soak: (\d+)$/;

/** Lines of stderr that are kept to explain a failure. */
const KEPT = 20;
const NEWLINE = 0x0a;

export class ServerProcess {
  /** The last lines of stderr. */
  complaints = [];
  reading = true;
  /** How it ended: `{ code, signal }`. */
  end;
  #pieces = [];
  #on;
  #tell;

  /**
   * @param settings `env`, and `folder`, its working directory.
   * @param on `line(Buffer)`, `complaint(string)`, `exit()`.
   */
  constructor({ env, folder }, on) {
    this.#on = on;
    // Detached, so that Ctrl-C at the terminal reaches this program alone, which then ends the server.
    this.child = spawn(process.execPath, ['--expose-gc', '--import', COLLECT, MAIN], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...env },
      detached: true,
    });
    this.child.stdout.on('data', (chunk) => this.#receive(chunk));
    let rest = '';
    this.child.stderr.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) this.#complain(line);
    });
    for (const stream of [this.child.stdin, this.child.stdout]) stream.on('error', () => {});
    this.closed = new Promise((resolve) => this.child.once('close', resolve));
    this.child.once('exit', (code, signal) => {
      this.end = { code, signal };
      on.exit();
    });
  }

  get pid() {
    return this.child.pid;
  }

  /** Sends bytes as they are. `taken` is called when the system has taken them: the server can read them from then on. */
  write(bytes, taken = () => {}) {
    if (this.child.stdin.writable) this.child.stdin.write(bytes, taken);
  }

  stopReading() {
    this.reading = false;
    this.child.stdout.pause();
  }

  readOn() {
    this.reading = true;
    this.child.stdout.resume();
  }

  kill(signal) {
    if (this.end === undefined) this.child.kill(signal);
  }

  /** Ends the input. Resolves when the server can see it. */
  endInput() {
    return new Promise((resolve) => {
      this.child.stdin.once('close', resolve).end(resolve);
    });
  }

  closeOutput() {
    this.child.stdout.destroy();
  }

  #receive(chunk) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const last = chunk.subarray(from, at);
      const line = this.#pieces.length === 0 ? last : Buffer.concat([...this.#pieces, last]);
      this.#pieces = [];
      from = at + 1;
      this.#on.line(line);
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
  }

  /** Bytes of stdout after its last line. */
  get unfinished() {
    return Buffer.concat(this.#pieces);
  }

  /** Bytes that the server holds once its garbage is collected. Resolves to undefined where it ends before it tells. */
  held() {
    const told = new Promise((resolve) => {
      this.#tell = resolve;
      void this.closed.then(() => resolve(undefined));
    });
    this.kill('SIGUSR2');
    return told;
  }

  #complain(line) {
    const [, held] = HELD.exec(line) ?? [];
    if (held !== undefined) return this.#tell(Number(held));
    this.complaints.push(line);
    if (this.complaints.length > KEPT) this.complaints.shift();
    this.#on.complaint(line);
  }
}
