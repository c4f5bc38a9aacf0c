// What a client has asked, what it has to be answered, and what it was: each request once, or cancelled.

/** An error for a line without a usable id: `{"id": null}`. */
const UNADDRESSED = null;

/**
 * A request is `{ id, method, tool, args, token, at, due, ... }`, as the client makes it; `mayBeUnaddressed` holds error codes
 * with which it may be answered without its id. What `receive` returns is what is wrong: a name and a sentence.
 */
export class Ledger {
  /** Requests without an answer, by id; cancelled ones are among them until they are forgotten. */
  #open = new Map();
  #answered = new Set();
  #tokens = new Map();
  /** Lines whose error names no id: `{ codes, required }`. */
  #unaddressed = [];
  /** Counts what is sent. The server takes it in that order, so an answer shows that all before it was taken. */
  #sent = 0;
  #taken = 0;

  add(request) {
    this.#sent += 1;
    request.order = this.#sent;
    this.#open.set(request.id, request);
    if (request.token !== undefined) this.#tokens.set(request.token, request);
  }

  /** A line of which an error without an id is due, with one of the codes; or may come, where it is not required. */
  addUnaddressed(line) {
    this.#unaddressed.push(line);
  }

  /** Marks a request as cancelled: an answer that is under way may still come. @returns it, if it was open. */
  cancel(id) {
    const request = this.#open.get(id);
    if (request === undefined) return undefined;
    this.#sent += 1;
    request.cancelled ??= this.#sent;
    return request;
  }

  /** Requests that have to be answered yet, and lines of which an error is due. */
  due() {
    const requests = [...this.#open.values()].filter(({ cancelled }) => !cancelled);
    return [...requests, ...this.#unaddressed.filter(({ required }) => required)];
  }

  /** Takes a message of the server. @returns `{ request }` for an answer, `{ wrong: [name, sentence] }`, or `{}`. */
  receive(message) {
    if (message.method !== undefined) return this.#notified(message);
    if (message.id === UNADDRESSED || message.id === undefined) return this.#unaddressedError(message);
    const request = this.#open.get(message.id);
    if (request !== undefined) return this.#settle(request);
    const id = JSON.stringify(message.id);
    return this.#answered.has(message.id)
      ? wrong('answered-twice', `a second answer to request ${id}`)
      : wrong('unknown-answer', `an answer to request ${id}, which was never made`);
  }

  #settle(request) {
    this.#open.delete(request.id);
    this.#answered.add(request.id);
    if (request.cancelled < this.#taken)
      return wrong('answered-cancelled', `request ${request.id} was answered after its cancellation had been taken`);
    // A line may be refused before what came before it was looked at.
    if (!request.isLine) this.#taken = Math.max(this.#taken, request.order);
    return { request };
  }

  #notified({ method, id, params }) {
    if (id !== undefined) return wrong('request-by-server', `a request of the server: ${method}`);
    if (method !== 'notifications/progress') return wrong('unknown-notification', `a notification ${method}`);
    const request = this.#tokens.get(params?.progressToken);
    if (request === undefined) return wrong('unknown-progress', 'progress for a token that was never given');
    if (!this.#open.has(request.id)) return wrong('late-progress', `progress after the answer to ${request.id}`);
    const rises = params.progress > (request.progress ?? 0) && params.progress <= (params.total ?? params.progress);
    request.progress = params.progress;
    return rises ? {} : wrong('false-progress', `progress ${params.progress} of ${params.total} for ${request.id}`);
  }

  #unaddressedError({ error }) {
    const code = error?.code;
    const fitting = (required) =>
      this.#unaddressed.findIndex((line) => line.required === required && line.codes.includes(code));
    // First what is due, then what may come.
    const at = fitting(true) === -1 ? fitting(false) : fitting(true);
    if (at !== -1) {
      this.#unaddressed.splice(at, 1);
      return {};
    }
    for (const request of this.#open.values())
      if (request.mayBeUnaddressed?.includes(code)) return this.#settle(request);
    return wrong('unknown-error', `an error ${code} without an id, which no line asked for: ${error?.message}`);
  }
}

function wrong(name, sentence) {
  return { wrong: [name, sentence] };
}
