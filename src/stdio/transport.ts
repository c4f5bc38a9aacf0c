import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, ProtocolErrorCode, type Transport } from '@modelcontextprotocol/server';
import { LineSplitter } from './lines.js';
import { readLine } from './message.js';
import type { Output } from './output.js';
import { idToEcho, type Refusal, refusalLine } from './refusal.js';
import { Unanswered } from './unanswered.js';

/** From the end of input until what is still unanswered is given up, milliseconds. */
const GRACE_MS = 1000;
/** While the client leaves more than this unread, no more input is read, bytes. Engine work has waited long before. */
const UNREAD_LIMIT = 32 * 1024 * 1024;
/** While more requests than this are unanswered, or more answers unread, no more input is read. A request costs 35 KB. */
const UNDER_WAY_LIMIT = 2000;

export interface StdioParts {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** What writes to `stdout`. */
  readonly output: Output;
  /** Told of each line that was not handed on. */
  readonly onRefused: (refusal: Refusal) => void;
}

/**
 * The connection over standard input and output. Unlike the SDK's own transport it answers a line that it cannot hand on,
 * outlives one that is too long, and at the end of input lets what is under way finish for {@link GRACE_MS}.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #output: Output;
  readonly #onRefused: StdioParts['onRefused'];
  readonly #lines = new LineSplitter(
    (line) => this.#receive(line),
    (refusal) => this.#refuse(refusal),
  );
  readonly #unanswered = new Unanswered();
  #grace: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ stdin, stdout, output, onRefused }: StdioParts) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#output = output;
    this.#onRefused = onRefused;
  }

  async start(): Promise<void> {
    this.#stdin.on('data', this.#onData).on('error', this.#onInputError);
    this.#stdin.on('end', this.#onEnd).on('close', this.#onEnd);
    // Stays after the end: a late write to a client that is gone must not end the process.
    this.#stdout.on('error', (error) => {
      if (this.#closed) return;
      this.onerror?.(error);
      void this.close();
    });
  }

  /** Rejects once the connection is closed, or when the client is gone. What cannot be serialized is answered as an error. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) throw new Error('the connection is closed');
    // Progress is news only while somebody reads it.
    if (this.#output.blocked && 'method' in message && message.method === 'notifications/progress') return;
    const line = serialize(message);
    this.#unanswered.sent(message);
    try {
      await this.#output.write(line);
    } finally {
      this.#proceed();
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#grace);
    this.#stdin.off('data', this.#onData).off('error', this.#onInputError);
    this.#stdin.off('end', this.#onEnd).off('close', this.#onEnd);
    this.#stdin.on('error', () => {}).pause();
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer) => {
    this.#lines.add(chunk);
    this.#proceed();
  };

  readonly #onInputError = (error: Error) => this.onerror?.(error);

  readonly #onEnd = () => {
    if (this.#closed || this.#grace !== undefined) return;
    this.#grace = setTimeout(() => void this.close(), GRACE_MS);
    this.#lines.end();
    this.#proceed();
  };

  #receive(bytes: Buffer): void {
    if (this.#closed) return;
    const line = readLine(bytes);
    if (line === undefined) return;
    if ('refusal' in line) {
      this.#refuse(line.refusal);
      return;
    }
    const { message } = line;
    this.#unanswered.received(message);
    try {
      this.onmessage?.(message);
    } catch (error) {
      // Thrown on from here it would end the process.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      if (!('method' in message && 'id' in message)) return;
      const failure = { code: ProtocolErrorCode.InternalError, message: 'the server cannot take this request' };
      this.send({ jsonrpc: '2.0', id: message.id, error: failure }).catch(() => {});
    }
  }

  #refuse(refusal: Refusal): void {
    if (this.#closed) return;
    this.#onRefused(refusal);
    if (refusal.id === undefined) return;
    const done = () => this.#proceed();
    this.#output.write(refusalLine(refusal, refusal.id)).then(done, done);
  }

  /** Ends the connection when the input has ended and all is answered; reads input while there is room for more. */
  #proceed(): void {
    if (this.#closed) return;
    const { unread, writes } = this.#output;
    const unanswered = this.#unanswered.size;
    if (this.#grace !== undefined) {
      if (unanswered === 0 && writes === 0) void this.close();
      return;
    }
    if (unread > UNREAD_LIMIT || unanswered > UNDER_WAY_LIMIT || writes > UNDER_WAY_LIMIT) this.#stdin.pause();
    else if (this.#stdin.isPaused()) this.#stdin.resume();
  }
}

/** A message as a line; an answer that cannot be one (it nests too deep, say) becomes an error under the same id. */
function serialize(message: JSONRPCMessage): string {
  try {
    return `${JSON.stringify(message)}\n`;
  } catch (error) {
    if (!('result' in message || 'error' in message) || message.id === undefined) throw error;
    const text = `the answer cannot be sent: ${error instanceof Error ? error.message : String(error)}`;
    const refusal = { code: ProtocolErrorCode.InternalError, message: text, id: undefined };
    return refusalLine(refusal, idToEcho(JSON.stringify(message.id)));
  }
}
