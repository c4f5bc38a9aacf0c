import { INVALID_REQUEST, idToEcho, type Refusal } from './refusal.js';
import { DEPTH_LIMIT, LineScan, VALUES_LIMIT } from './scan.js';

/** The longest line that is taken, bytes without its line feed. The SDK's clients and servers have the same limit. */
export const LINE_LIMIT = 10 * 1024 * 1024;
/**
 * Lines over this are scanned before they are parsed, bytes: parsing one takes up to 130 ms and 28 MiB a megabyte where it
 * is made of small values.
 */
export const SCAN_OVER = 1024 * 1024;

const LINE_FEED = 0x0a;

/**
 * Cuts a stream of bytes into lines. A line that is too long, or long and too costly to parse, is not held: its bytes are
 * only scanned for its id, and at its end it is refused. Holds at most one line of {@link LINE_LIMIT} bytes, in whatever
 * pieces it comes.
 */
export class LineSplitter {
  readonly #onLine: (line: Buffer) => void;
  readonly #onRefused: (refusal: Refusal) => void;
  #held = Buffer.alloc(0);
  /** Bytes of the line so far, held or not. */
  #length = 0;
  #scan: LineScan | undefined;
  /** What is wrong with the line so far. */
  #wrong: string | undefined;

  constructor(onLine: (line: Buffer) => void, onRefused: (refusal: Refusal) => void) {
    this.#onLine = onLine;
    this.#onRefused = onRefused;
  }

  add(chunk: Buffer): void {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to !== -1; to = chunk.indexOf(LINE_FEED, from)) {
      const piece = chunk.subarray(from, to);
      from = to + 1;
      // Nearly every line comes in one piece, which need not be copied.
      if (this.#length === 0 && piece.length <= SCAN_OVER) this.#onLine(piece);
      else {
        this.#extend(piece);
        this.end();
      }
    }
    if (from < chunk.length) this.#extend(chunk.subarray(from));
  }

  /** Ends the line that has begun, if one has. */
  end(): void {
    if (this.#length === 0) return;
    const line = this.#held.subarray(0, this.#length);
    const wrong = this.#wrong;
    const scan = this.#scan;
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    this.#scan = undefined;
    this.#wrong = undefined;
    if (wrong === undefined) this.#onLine(line);
    else this.#onRefused({ code: INVALID_REQUEST, message: wrong, id: scan && idToAnswer(scan) });
  }

  #extend(piece: Buffer): void {
    const before = this.#length;
    this.#length += piece.length;
    if (this.#scan === undefined && this.#length > SCAN_OVER) {
      this.#scan = new LineScan();
      this.#scan.add(this.#held.subarray(0, before));
    }
    this.#scan?.add(piece);
    this.#wrong ??= whatIsWrong(this.#length, this.#scan);
    if (this.#wrong === undefined) this.#hold(piece, before);
    else this.#held = Buffer.alloc(0);
  }

  #hold(piece: Buffer, before: number): void {
    if (this.#held.length < this.#length) {
      const larger = Buffer.allocUnsafe(Math.min(LINE_LIMIT, Math.max(4096, this.#length, before * 2)));
      this.#held.copy(larger, 0, 0, before);
      this.#held = larger;
    }
    piece.copy(this.#held, before);
  }
}

function whatIsWrong(length: number, scan: LineScan | undefined): string | undefined {
  const advice = 'send less in one message';
  if (length > LINE_LIMIT) return `the line is longer than ${LINE_LIMIT} bytes and was not read; ${advice}`;
  if (scan === undefined) return undefined;
  const which = `a line over ${SCAN_OVER} bytes`;
  if (scan.deepest > DEPTH_LIMIT) return `${which} may nest ${DEPTH_LIMIT} levels deep, no deeper; ${advice}`;
  if (scan.values > VALUES_LIMIT) return `${which} may hold ${VALUES_LIMIT} values, no more; ${advice}`;
  return undefined;
}

/** The id to answer a line under that was only scanned; undefined for a notification and for an answer. */
function idToAnswer(scan: LineScan): string | undefined {
  if (scan.has('id') && (scan.has('method') || !(scan.has('result') || scan.has('error')))) return idToEcho(scan.id);
  return scan.has('method') || scan.has('result') || scan.has('error') ? undefined : 'null';
}
