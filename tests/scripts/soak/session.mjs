// The client: one server from its start to its end, with what it is asked, and the checks of everything that it says.
import path from 'node:path';
import { answerProblem, complaintProblem, readLine } from './answers.mjs';
import { lookProblem } from './dead-answers.mjs';
import { Events } from './events.mjs';
import { isLarge } from './faults.mjs';
import { Ledger } from './ledger.mjs';
import { Looks } from './looks.mjs';
import { helpersOf, limitDescriptors, usage } from './processes.mjs';
import { ServerProcess } from './server.mjs';
import { TimeLimits } from './time-limits.mjs';

const MODERN = '2026-07-28';
const CLIENT = { name: 'soak', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** The id of the first request. */
export const OPENING = 'opening';

export class Session {
  ledger = new Ledger();
  /** The first thing that was wrong: `{ name, sentence }`. */
  violation;
  /** Whether the engine does not tell its version, or did not when a look began that may be under way. */
  engineMissing;
  /** Calls whose engine prints more than an answer may take: each is collected up to the limit of its output. */
  large = 0;
  #events = new Events();
  #ids = 0;
  #heard = false;
  #ending = false;

  /** @param settings of the `start` step. @param run what all sessions of a run share: `timed`, `contention`, `tally`. */
  constructor(workspace, settings, run) {
    const { era, timeoutMs, concurrency, maxBatch, roots, deadRoot } = settings;
    Object.assign(this, { workspace, settings, run });
    this.looks = new Looks(workspace.dead, settings);
    const folders = [...(deadRoot ? [workspace.dead.folder] : []), workspace.documents.folder];
    this.limits = new TimeLimits(run, timeoutMs);
    const env = {
      DECKPROBE_MCP_BIN: workspace.bin,
      DECKPROBE_MCP_TIMEOUT_MS: String(timeoutMs),
      DECKPROBE_MCP_MAX_CONCURRENCY: String(concurrency),
      DECKPROBE_MCP_MAX_BATCH: String(maxBatch),
      ...(roots && { DECKPROBE_MCP_ROOTS: folders.join(path.delimiter) }),
    };
    this.modern = era === MODERN;
    this.engineMissing = workspace.hasMode('--version');
    this.server = new ServerProcess(
      { env, folder: workspace.folder },
      {
        line: (line) => this.#receive(line),
        complaint: (line) => this.#fail(complaintProblem(line)),
        exit: () => this.#exited(),
      },
    );
    run.contention.watch(this.server.pid);
    run.tally.add('servers');
  }

  /** What a request carries besides its own parameters. */
  get extraParams() {
    return this.modern ? { _meta: META } : {};
  }

  /** The first exchange. @param patient waits for its answer before anything else is sent. */
  async open(patient) {
    const params = { protocolVersion: this.settings.era, capabilities: {}, clientInfo: CLIENT };
    if (this.modern) this.request({ id: OPENING, method: 'server/discover' });
    else this.request({ id: OPENING, method: 'initialize', params });
    if (patient) await this.answered([OPENING]);
    if (!this.modern) this.send({ method: 'notifications/initialized' });
    // Not from the start: Node.js itself opens more while it loads a program.
    if (patient && this.settings.spareDescriptors !== undefined)
      limitDescriptors(this.server.pid, this.settings.spareDescriptors);
  }

  /** Whether the server has said anything yet. */
  get isOpen() {
    return this.#heard;
  }

  /**
   * Makes a request. A tool's call is `{ id, tool, args, token }`, others are `{ id, method, params }`.
   * @returns its entry in the ledger, which is told the `outcome`: a status or an error code.
   */
  request(request) {
    const { id, tool, args, token } = request;
    const method = tool === undefined ? request.method : 'tools/call';
    const params = tool === undefined ? request.params : { name: tool, arguments: args };
    const _meta = { ...this.extraParams._meta, ...(token !== undefined && { progressToken: token }) };
    const entry = { ...request, method };
    const meta = Object.keys(_meta).length > 0 && { _meta };
    this.track(entry);
    this.send({ id, method, params: { ...params, ...meta } }, entry);
    return entry;
  }

  /** An id that no step uses. */
  nextId() {
    this.#ids += 1;
    return `own ${this.#ids}`;
  }

  /** Has a request answered from now on; it is to be sent next. */
  track(entry) {
    this.limits.begin(entry);
    this.ledger.add(entry);
    this.looks.begin(entry);
    this.run.tally.add('requests');
    if (isLarge(entry.args)) this.large += 1;
  }

  send(message, entry) {
    this.sendRaw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`, entry);
  }

  sendRaw(bytes, entry) {
    this.server.write(bytes, () => {
      if (entry !== undefined) this.limits.taken(entry);
    });
  }

  cancel(id) {
    const request = this.ledger.cancel(id);
    if (request === undefined) return;
    this.run.tally.add('cancelled');
    this.send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'no longer wanted' } });
  }

  stopReading() {
    this.limits.pause();
    this.server.stopReading();
  }

  readOn() {
    this.limits.resume();
    this.server.readOn();
  }

  /** Resolves when all these requests are answered or cancelled, and is a violation when one is not in time. */
  answered(ids) {
    return this.#settled(() => this.ledger.due().filter(({ id }) => ids.includes(id)));
  }

  /** The same for everything that is due. */
  allAnswered() {
    return this.#settled(() => this.ledger.due());
  }

  async #settled(open) {
    for (;;) {
      const due = open();
      if (due.length === 0 || this.violation !== undefined || this.server.end !== undefined) return;
      const overdue = due.find((entry) => this.limits.isLost(entry));
      if (overdue !== undefined) return this.#fail(['unanswered', `never answered: ${shown(overdue)}`]);
      await this.#events.next(100);
    }
  }

  /** Lets some milliseconds pass, unless something goes wrong. */
  async pause(ms) {
    const until = performance.now() + ms;
    while (performance.now() < until && this.violation === undefined && this.server.end === undefined)
      await this.#events.next(until - performance.now());
  }

  /** Waits until something is so. @returns whether it was, before `ms` were over, or the longer patience of an untimed run. */
  async becomes(condition, ms) {
    const patience = this.limits.patience(ms);
    for (const since = performance.now(); !condition(); await this.#events.next(20))
      if (performance.now() - since > patience()) return condition();
    return true;
  }

  /** From here on the server is expected to end. */
  expectEnd() {
    this.#ending = true;
  }

  fail(name, sentence) {
    this.#fail([name, sentence]);
  }

  /** Ends some of the processes that look at files for the server. */
  killHelpers(count) {
    for (const pid of helpersOf(this.server.pid).slice(0, count)) {
      this.looks.killed += 1;
      process.kill(pid, 'SIGKILL');
    }
  }

  /** Takes note of the memory; the peak is the system's own. */
  usage() {
    const used = usage(this.server.pid);
    if (used !== undefined) this.run.tally.most('memory', used.peak);
    return used;
  }

  #receive(line) {
    const { message, wrong: impure } = readLine(line);
    const { request, wrong } = impure ? { wrong: impure } : this.ledger.receive(message);
    this.#fail(wrong);
    this.limits.answer(line.length);
    this.#heard = true;
    if (request !== undefined) this.#judge(request, message);
    this.#events.happened();
  }

  #judge(request, message) {
    const { tally } = this.run;
    tally.add('answers');
    const { error, status } = message.result?.structuredContent ?? message;
    request.outcome = error?.code ?? status ?? 'ok';
    tally.count(request.outcome);
    const late = this.limits.lateness(request);
    if (late !== undefined) this.#fail(['late', `${shown(request)} ${late}`]);
    const { roots } = this.settings;
    this.#fail(answerProblem(request, message, { roots, engineMissing: this.engineMissing }));
    this.#fail(lookProblem(request, message, this));
  }

  #exited() {
    const { code, signal } = this.server.end;
    if (!this.#ending) this.#fail(['server-died', `the server ended by itself, ${signal ?? `status ${code}`}`]);
    this.#events.happened();
  }

  #fail(problem) {
    if (problem === undefined || this.violation !== undefined || this.run.stopped) return;
    const [name, sentence] = problem;
    this.violation = { name, sentence, complaints: this.server.complaints };
    this.#events.happened();
  }
}

function shown({ id, method, tool, args, codes }) {
  if (codes !== undefined) return `a line that is due an error ${codes}`;
  return `request ${JSON.stringify(id)}, ${tool ?? method} ${JSON.stringify(args ?? {}).slice(0, 300)}`;
}
