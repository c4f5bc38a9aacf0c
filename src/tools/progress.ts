import { setTimeout } from 'node:timers/promises';
import type { ServerContext } from '@modelcontextprotocol/server';

/** Least time between two notifications, milliseconds. */
const INTERVAL_MS = 100;
/**
 * From the last notification to the answer, milliseconds. The SDK's clients drop a notification that they read in one
 * piece with the answer, and the one that reaches the total is worth seeing.
 */
const BEFORE_ANSWER_MS = 10;

/** Tells a client that asked for it how many of a call's entries are settled. */
export class Progress {
  readonly #context: ServerContext;
  readonly #total: number;
  #settled = 0;
  #told = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #sending: Promise<void> = Promise.resolve();

  constructor(context: ServerContext, total: number) {
    this.#context = context;
    this.#total = total;
  }

  /** Counts one more settled entry; tells it when it is the last, or when nothing was told just now. */
  settle(): void {
    this.#settled += 1;
    if (this.#settled === this.#total || performance.now() - this.#toldAt >= INTERVAL_MS) this.#tell();
  }

  /** Settles when all is told: nothing may follow the answer. */
  async finish(): Promise<void> {
    await this.#sending;
    if (this.#told > 0)
      await setTimeout(BEFORE_ANSWER_MS, undefined, { signal: this.#context.mcpReq.signal }).catch(() => {});
  }

  #tell(): void {
    const { signal, _meta, notify } = this.#context.mcpReq;
    const progressToken = _meta?.progressToken;
    if (progressToken === undefined || signal.aborted) return;
    this.#told = this.#settled;
    this.#toldAt = performance.now();
    const params = { progressToken, progress: this.#settled, total: this.#total };
    // A client that can no longer be told is not worth failing the call for.
    this.#sending = this.#sending.then(() => notify({ method: 'notifications/progress', params })).catch(() => {});
  }
}
