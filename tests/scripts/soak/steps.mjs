// What each step of a script does. A step holds all that it needs, so that any part of a script is a script again.
import { buildLine } from './lines.mjs';
import { checkBesides, checkEnd, checkRest } from './rest.mjs';
import { Session } from './session.mjs';

/** The settings of a server that no step has started. */
const DEFAULTS = { era: '2025-11-25', timeoutMs: 2000, concurrency: 4, maxBatch: 64, roots: false };

/** How long calls are waited for that are to hold all slots, milliseconds. */
const HELD_MS = 1000;

const STEPS = {
  /** A server with these settings; the one before, if any, ends. */
  async start(player, { patient = true, ...settings }) {
    await player.end({ by: 'eof' });
    await player.start(settings, patient);
  },

  /** One request. */
  async call({ session, expand }, { do: _, ...request }) {
    session.request(expand(request));
  },

  /** `count` calls at once, of a few kinds in turn; every `cancelEvery`-th is cancelled. */
  async flood({ session, expand }, { id, count, calls, cancelEvery }) {
    const ids = Array.from({ length: count }, (_, at) => `${id}.${at}`);
    const numbered = ids.map((_, at) => expand(calls[at % calls.length], at));
    for (const [at, each] of ids.entries()) session.request({ id: each, ...numbered[at] });
    if (cancelEvery > 0) for (const [at, each] of ids.entries()) if (at % cancelEvery === 0) session.cancel(each);
  },

  async cancel({ session }, { id }) {
    session.cancel(id);
  },

  /** A line that is no ordinary request, whole or with a pause in its middle. */
  async line({ session, run }, step) {
    const { bytes, request, ...due } = buildLine(step, session.extraParams);
    run.tally.add('odd lines');
    const whole = Buffer.concat([Buffer.from(bytes), Buffer.from('\n')]);
    const entry = request === undefined ? { ...due, id: undefined } : { ...request, method: step.shape, isLine: true };
    if (request !== undefined) session.track(entry);
    else {
      session.limits.begin(entry);
      session.ledger.addUnaddressed(entry);
    }
    if (whole.length > 1024 * 1024) session.limits.hugeLine();
    if (step.pause === undefined) return session.sendRaw(whole, entry);
    const middle = Math.floor(whole.length / 2);
    session.sendRaw(whole.subarray(0, middle));
    await session.pause(step.pause);
    session.sendRaw(whole.subarray(middle), entry);
  },

  async stopReading({ session }) {
    session.stopReading();
  },

  async readOn({ session }) {
    session.readOn();
  },

  async wait({ session }, { ms }) {
    await session.pause(ms);
  },

  async swap({ workspace }, { name, what }) {
    workspace.documents.swap(name, what);
  },

  /**
   * Fills the slots with calls that wait for the gate, has a call for a document wait for a slot, puts something else in
   * the document's place, and opens the gate. Where a slot may be free nothing is put there: a call that has just been
   * checked may read what takes the document's place.
   */
  async swapWaiting({ session, workspace, expand }, { id, name, what }) {
    workspace.closeGate();
    workspace.documents.swap(name, 'document');
    const ids = Array.from({ length: session.settings.concurrency }, (_, at) => `${id}.${at}`);
    for (const each of ids)
      session.request(expand({ id: each, tool: 'probe', args: { path: '{docs}/fault-gate.pdf' } }));
    const allHeld = () => workspace.atGate >= session.settings.concurrency;
    await session.becomes(() => allHeld() || session.server.end !== undefined, HELD_MS);
    const paths = [`{docs}/${name}`, '{docs}/deck.pptx'];
    session.request(expand({ id: `${id}.single`, tool: 'probe', args: { path: paths[0] } }));
    session.request(expand({ id: `${id}.batch`, tool: 'probe_batch', args: { paths, view: 'report' } }));
    await session.pause(100);
    if (allHeld()) workspace.documents.swap(name, what);
    workspace.openGate();
  },

  /** A command of the engine misbehaves from now on. */
  async mode({ session, workspace }, { command, fault }) {
    if (command === '--version') session.engineMissing = true;
    workspace.setMode(command, fault);
  },

  /** The engine's file is open for writing for a while. */
  async holdEngine({ session, workspace }, { ms }) {
    const release = workspace.holdEngine();
    try {
      await session.pause(ms);
    } finally {
      release();
    }
  },

  async replaceEngine({ workspace }) {
    workspace.replaceEngine();
  },

  /** Everything under way comes to its end; then the server has to be as it was at the start. */
  async settle({ session, workspace, run }) {
    await checkRest(session, workspace, run);
  },

  /** Whatever hangs, a good document is answered. */
  async besides({ session }) {
    await checkBesides(session);
  },

  /** Ends processes of the server that look at files for it, as a system does that is short of memory. */
  async killHelpers({ session }, { count }) {
    session.killHelpers(count);
  },

  async end(player, step) {
    await player.end(step);
  },
};

/** Plays a script's steps against one server after the other. */
export class Player {
  session;

  /** @param run what all sessions of a run share. */
  constructor(workspace, run) {
    this.workspace = workspace;
    this.run = run;
    // Paths in a script are of this folder, wherever it lies.
    this.expand = (value, each = 0) => expanded(value, { workspace, each });
  }

  /** @returns the violation, if there is one. */
  async perform(step) {
    this.run.tally.add('steps');
    if (this.session === undefined && !['start', 'end', 'settle'].includes(step.do)) await this.start(DEFAULTS, true);
    if (this.session !== undefined || step.do === 'start') await STEPS[step.do](this, step);
    return this.session?.violation ?? this.lastViolation;
  }

  async start(settings, patient) {
    this.workspace.openGate();
    this.session = new Session(this.workspace, settings, this.run);
    await this.session.open(patient);
  }

  async end(step) {
    if (this.session === undefined) return;
    await checkEnd(this.session, this.workspace, step);
    this.lastViolation ??= this.session.violation;
    await this.abandon();
    this.session = undefined;
  }

  /** Ends the server whatever it does. */
  async abandon() {
    const server = this.session?.server;
    if (server === undefined) return;
    this.session.expectEnd();
    server.readOn();
    server.kill('SIGKILL');
    await server.closed;
  }
}

/** `{docs}`, `{root}`, `{long:N}`, `{each}` (the number of a call in its flood) and what is dead in every text of a value. */
function expanded(value, within) {
  const { workspace, each: number } = within;
  if (typeof value === 'string')
    return workspace.dead
      .expand(value)
      .replaceAll('{each}', number)
      .replaceAll('{docs}', workspace.documents.folder)
      .replaceAll('{root}', workspace.folder)
      .replace(/\{long:(\d+)\}/g, (_, length) => 'x'.repeat(Number(length)));
  if (Array.isArray(value)) {
    // `{"times": N, "of": value}` stands for N times the value.
    return value.flatMap((each) =>
      each?.times === undefined ? [expanded(each, within)] : Array(each.times).fill(expanded(each.of, within)),
    );
  }
  if (Object(value) !== value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expanded(each, within)]));
}
