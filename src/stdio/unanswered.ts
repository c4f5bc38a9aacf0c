import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';

/** Requests that stay open for as long as the session: their end is not waited for. */
const LASTING = 'subscriptions/listen';

/** The requests that were handed on and have neither been answered nor cancelled. */
export class Unanswered {
  /** How many there are of each id: a careless client uses one twice. */
  readonly #counts = new Map<RequestId, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Notes what a message from the client begins or gives up. */
  received(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) {
      if (message.method === LASTING) return;
      this.#counts.set(message.id, (this.#counts.get(message.id) ?? 0) + 1);
      this.#size += 1;
    } else if (message.method === 'notifications/cancelled') this.#settle(message.params?.requestId);
  }

  /** Notes what a message to the client answers. */
  sent(message: JSONRPCMessage): void {
    if ('result' in message || 'error' in message) this.#settle(message.id);
  }

  #settle(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const count = this.#counts.get(id);
    if (count === undefined) return;
    this.#size -= 1;
    if (count === 1) this.#counts.delete(id);
    else this.#counts.set(id, count - 1);
  }
}
