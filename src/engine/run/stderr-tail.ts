/** Bytes of stderr that are kept while a child runs, and characters of it that reach a caller. */
const KEEP_BYTES = 4096;
const SHOW_LENGTH = 1024;

/** The end of what a child wrote to stderr. */
export class StderrTail {
  #bytes: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk.subarray(-KEEP_BYTES)]).subarray(-KEEP_BYTES);
  }

  /** At most 1 KiB on one line, without control characters (terminal escapes among them). */
  toString(): string {
    // biome's noControlCharactersInRegex holds for literals; \p{Cc} names the same characters by their category.
    const text = this.#bytes.toString('utf8').replace(/[\p{Cc}\s]+/gu, ' ');
    let tail = Buffer.from(text.trim()).subarray(-SHOW_LENGTH).toString('utf8');
    // A cut in the middle of a character leaves U+FFFD behind, which takes more bytes than it replaces.
    while (Buffer.byteLength(tail) > SHOW_LENGTH) tail = tail.slice(1);
    return tail;
  }
}
