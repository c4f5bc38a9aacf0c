// What holds when nothing is under way any longer, and when a server ends.
import { childrenOf, describe, describeDescriptors } from './processes.mjs';
import { OPENING } from './session.mjs';

/** How soon what a call has left behind is gone, milliseconds. */
const GONE_MS = 3000;
/** How long the server waits for an engine to tell its version. That look is nobody's call: it goes on when all is answered. */
const LOOK_MS = 5000;
/** From the end of the input, or a signal, to the end of the process, milliseconds. */
const END_MS = 2000;
/** Helpers of the server may stay for some seconds after their last use, milliseconds. */
const HELPERS_GONE_MS = 10_000;
/**
 * A process of the server that was killed while the kernel does not let it go is noticed after five seconds, and another one
 * has to start then: milliseconds.
 */
const NOTICED_MS = 8000;
/** A server that ends sooner than this was not ended by a limit of its own, milliseconds. */
const UNHURRIED_MS = 900;
/** The part of its time that a process has to wait for a processor on a machine that is too busy to judge by. */
const STARVED = 0.25;
/** Descriptors that a server may have more than a new one that has answered a few calls. */
const SPARE_DESCRIPTORS = 8;
/** Peak of the resident memory, MiB, and what each further engine that prints too much at the same time may add. */
const PEAK_MIB = 300;
const LARGE_MIB = 64;
/** What a server may hold at rest over what a new one does: catalogues that are kept, code that was compiled. MiB. */
const REST_MIB = 8;
const MIB = 2 ** 20;
/** A good document is asked for this often before its time-outs count: a busy machine may need longer than the deadline. */
const HEALTH_TRIES = 10;

/** Waits until everything is answered, then looks at what is left. */
export async function checkRest(session, workspace, run) {
  session.readOn();
  workspace.openGate();
  workspace.clearModes();
  await session.allAnswered();
  if (stopped(session)) return;
  const look = session.engineMissing ? LOOK_MS : 0;
  const left = () => workspace.engineProcesses();
  await checkLeftOvers(session, left, 'processes of the engine are left', look);
  await checkHelpers(session);
  await checkDescriptors(session, run);
  checkPeak(session, run);
  await checkHealth(session);
  await checkHeld(session, run);
}

/** Ends a server as the step says, and looks at how it ends and what it leaves. */
export async function checkEnd(session, workspace, { by, ping = false, half = false }) {
  const { server } = session;
  if (stopped(session)) return;
  const last = ping && server.reading && by === 'eof';
  const words = last && session.request({ id: 'last words', method: 'resources/list', params: {} });
  if (half) session.sendRaw('{"jsonrpc":"2.0","id":"half a li');
  if (half) session.ledger.addUnaddressed({ codes: [-32700, -32600], required: false });
  checkPeak(session, session.run);
  // A signal before the program has begun ends it as it ends any process.
  if (by.startsWith('SIG') && !session.isOpen) {
    session.readOn();
    await session.answered([OPENING]);
  }
  if (stopped(session)) return;
  const wasReading = server.reading;
  session.expectEnd();
  await end(session, by);
  const { contention } = session.run;
  const waited = contention.waited();
  const since = performance.now();
  if (!(await session.becomes(() => server.end !== undefined, END_MS)))
    session.fail('slow-end', `the server is still there after ${by} and ${END_MS} ms (more on a busy machine)`);
  const took = performance.now() - since;
  // A server takes a look at a file that is not over in time for one that hangs in the kernel.
  const starved = !session.run.timed || contention.waited() - waited > STARVED * took;
  session.run.tally.most('end', took);
  if (server.end === undefined) server.kill('SIGKILL');
  session.readOn();
  await server.closed;
  // What a client does not read in time cannot be sent; a server that has not run out of time sends its last line whole.
  const wasHeard = wasReading && by !== 'output' && by !== 'both' && took < UNHURRIED_MS;
  if (wasHeard && server.unfinished.length > 0)
    session.fail('impure', `stdout ended within a line: ${JSON.stringify(server.unfinished.toString().slice(0, 200))}`);
  const { code, signal } = server.end;
  const mayBeKilled = signal === 'SIGKILL' && (starved || session.looks.hung > 0);
  if (code !== 0 && !mayBeKilled)
    session.fail('exit-status', `the server ended by ${by} with ${signal ?? `status ${code}`}`);
  if (words && words.outcome === undefined)
    session.fail('last-words', 'a request right before the end of the input was not answered');
  await checkLeftOvers(session, () => workspace.leftProcesses(), `after ${by}, processes are left`);
}

async function end(session, by) {
  const { server } = session;
  if (by === 'eof') await server.endInput();
  else if (by === 'output') {
    // Nobody learns of a closed pipe but by writing to it.
    server.closeOutput();
    session.ledger.addUnaddressed({ codes: [-32700], required: false });
    server.write('not JSON\n');
    server.write('{"jsonrpc":"2.0","id":"unheard","method":"resources/list"}\n');
  } else if (by === 'both') {
    server.closeOutput();
    server.child.stdin.destroy();
  } else server.kill(by);
}

async function checkLeftOvers(session, list, sentence, moreMs = 0) {
  const gone = await session.becomes(() => list().length === 0, GONE_MS + moreMs);
  if (!gone) session.fail('left-process', `${sentence}: ${list().map(describe).join(', ')}`);
}

/** Processes that look at files stay while looks hang in them, but no more than it takes. */
async function checkHelpers(session) {
  const most = session.looks.hung === 0 ? 0 : session.looks.mostProcesses;
  const there = () => childrenOf(session.server.pid);
  if (await session.becomes(() => there().length <= most || stopped(session), HELPERS_GONE_MS)) {
    session.run.tally.most('helpers', there().length);
    return;
  }
  session.fail(
    'helpers',
    `at rest ${there().length} processes of the server, ${most} would do: ${there().map(describe)}`,
  );
}

async function checkDescriptors(session, { baseline }) {
  if (baseline?.descriptors === undefined) return;
  const limit = baseline.descriptors + SPARE_DESCRIPTORS + session.looks.mostDescriptors;
  const now = () => session.usage()?.descriptors ?? 0;
  if (!(await session.becomes(() => now() <= limit || stopped(session), HELPERS_GONE_MS)))
    session.fail(
      'descriptors',
      `${now()} descriptors at rest, a new server has ${baseline.descriptors}: ${describeDescriptors(session.server.pid)}`,
    );
}

/** Only in a timed run: how much piles up depends on the machine's speed. */
function checkPeak(session, { timed }) {
  const used = session.usage();
  if (!timed || used === undefined) return;
  const large = Math.min(session.large, session.settings.concurrency);
  const peak = PEAK_MIB + Math.max(0, large - 1) * LARGE_MIB;
  if (used.peak > peak) session.fail('memory-peak', `up to ${Math.round(used.peak)} MiB; ${peak} are the limit`);
}

/** Asked twice before it counts: an answer may be on its way out. */
async function checkHeld(session, { baseline, tally }) {
  if (baseline === undefined) return;
  const limit = baseline.held + REST_MIB * MIB;
  let held = 0;
  for (let tries = 1; tries <= HEALTH_TRIES && !stopped(session); tries += 1) {
    held = await session.server.held();
    if (held === undefined || held <= limit) break;
    await session.pause(100);
  }
  if (held === undefined) return;
  tally.most('held', held / MIB);
  const [now, before] = [held, baseline.held].map((bytes) => Math.round(bytes / MIB));
  if (held > limit) session.fail('memory', `${now} MiB are held at rest; a new server holds ${before}`);
}

/** While looks hang: the same for one that is asked for now, as long as nothing else stands in its way. */
export async function checkBesides(session) {
  const { server, looks, engineMissing } = session;
  if (server.reading && !engineMissing && !looks.fewDescriptors) await checkHealth(session);
}

/** Whatever was before, a good document is answered. */
async function checkHealth(session) {
  const { engineMissing, looks, limits } = session;
  const forgiven = [
    'MCP_TIMEOUT',
    ...(engineMissing ? ['MCP_ENGINE_NOT_FOUND'] : []),
    // A root is looked at by a process that may have been killed.
    ...(looks.killed > 0 ? ['MCP_PATH_NOT_ALLOWED'] : []),
  ];
  const patience = limits.patience(looks.killed > 0 ? NOTICED_MS : 0);
  const since = performance.now();
  for (let tries = 1; !stopped(session); tries += 1) {
    const args = { path: session.workspace.documents.file('deck.pptx') };
    const request = session.request({ id: session.nextId(), tool: 'probe', args });
    await session.answered([request.id]);
    if (stopped(session)) return;
    if (request.outcome === 'ok' || request.outcome === 'partial') break;
    if (looks.killed > 0) await session.pause(100);
    const isOver = tries >= HEALTH_TRIES && performance.now() - since > patience();
    if (!forgiven.includes(request.outcome) || isOver)
      session.fail('ill', `at rest, a good document is answered with ${request.outcome}`);
  }
  session.engineMissing = false;
}

function stopped(session) {
  return session.violation !== undefined || session.server.end !== undefined;
}
