// Random scripts: a list of steps for one folder, the same for the same seed.
import { seeded } from '../random.mjs';
import { randomCall, randomProbe } from './arguments.mjs';
import { DEAD_LOOKS, deadSteps } from './dead-steps.mjs';
import { SWAPPED, SWAPS } from './documents.mjs';
import { modeKinds } from './faults.mjs';
import { SHAPES } from './lines.mjs';

const ERAS = ['2026-07-28', '2025-11-25', '2025-06-18', '2024-11-05'];
const COMMANDS = ['--version', 'formats', 'schema', '--jsonl'];
/** Its scenario is left out where no such file system can be made. */
export const DEAD = 'dead-file-system';
/** What makes a scenario that is to be played often as likely as so many others. */
const OFTEN = 20;
const ENDS = ['eof', 'SIGTERM', 'SIGINT', 'SIGHUP', 'output', 'both'];

/** Kinds of steps with their weights. Each may be left out by the name of its scenario, which is its own where none is given. */
const KINDS = [
  { name: 'calls', weight: 12, make: ({ random, id, without }) => [call(random, id, without)] },
  { name: 'methods', weight: 4, make: ({ random, id }) => [{ do: 'call', id, ...otherMethod(random) }] },
  { name: 'floods', weight: 5, make: flood },
  { name: 'cancellations', weight: 6, make: cancelledCall },
  { name: 'junk', weight: 8, make: (at) => [line(at, 'junk')] },
  { name: 'huge-arguments', weight: 2, make: (at) => [line(at, 'huge-arguments')] },
  { name: 'huge-lines', weight: 1, make: (at) => [line(at, 'huge-lines')] },
  { name: 'slow-reader', weight: 2, make: slowReader },
  {
    name: 'swaps',
    weight: 8,
    make: ({ random }) => [{ do: 'swap', name: random.pick(SWAPPED), what: random.pick(SWAPS) }],
  },
  { name: 'swapped-links', weight: 2, make: swapWaiting },
  { name: 'long-batches', weight: 2, make: longBatch },
  { name: 'modes', weight: 3, make: mode },
  { name: 'busy-engine', weight: 2, make: busyEngine },
  { name: 'replaced-engine', weight: 1, make: () => [{ do: 'replaceEngine' }] },
  { name: 'waits', weight: 4, make: ({ random }) => [{ do: 'wait', ms: random.pick([1, 10, 50, 200]) }] },
  { name: 'settle', weight: 5, make: () => [{ do: 'settle' }] },
  { name: 'restarts', weight: 2, make: restart },
  { name: DEAD, weight: 3, make: (at) => deadSteps({ ...at, restart: () => restart(at) }) },
];
/** Scenarios that are not kinds of steps: faults of the engine, and settings. */
const OTHERS = [
  'deep-json',
  'wide-answers',
  'wide-catalogues',
  'endless',
  'escapes',
  'faults',
  'few-descriptors',
  'last-words',
  'modern-era',
];

/** What `--without` can name. */
export const SCENARIOS = [...KINDS.map(({ name }) => name), ...OTHERS].sort();

/**
 * One script.
 * @param seed a whole number. @param without a set of {@link SCENARIOS}. @param often another, of those to play often.
 */
export function generateScript(seed, without, often = new Set()) {
  const random = seeded(seed);
  const kinds = KINDS.filter(({ name }) => !without.has(name)).map(({ name, weight, make }) => ({
    weight: often.has(name) ? weight * OFTEN : weight,
    make,
  }));
  const weights = kinds.reduce((sum, { weight }) => sum + weight, 0);
  const length = random.pick([5, 10, 20, 40, 80]);
  const dead = { left: DEAD_LOOKS };
  const script = [start({ random, without })];
  for (let id = 1; script.length < length; id += 1) {
    let at = random.below(weights);
    const kind = kinds.find(({ weight }) => {
      at -= weight;
      return at < 0;
    });
    script.push(...kind.make({ random, id, without, dead }));
  }
  return [...script, ending({ random, without })];
}

/** The fewest spare descriptors are enough for one process of the engine and one helper of the server. */
function start({ random, without }) {
  const eras = without.has('modern-era') ? ERAS.slice(1) : ERAS;
  const few = !without.has('few-descriptors') && random.chance(0.15);
  const roots = random.chance(0.4);
  return {
    do: 'start',
    era: random.chance(0.5) ? eras[0] : random.pick(eras),
    timeoutMs: random.pick([600, 1500, 3000]),
    concurrency: random.pick([1, 2, 4, 8]),
    maxBatch: random.pick([8, 64, 1000]),
    roots,
    ...(roots && !without.has(DEAD) && random.chance(0.4) && { deadRoot: true }),
    patient: random.chance(0.8),
    ...(few && { spareDescriptors: random.pick([12, 20, 40]) }),
  };
}

function restart(at) {
  return [ending(at), start(at)];
}

function ending({ random, without }) {
  const by = random.pick(ENDS);
  return { do: 'end', by, ping: by === 'eof' && !without.has('last-words'), half: by === 'eof' && random.chance(0.2) };
}

function call(random, id, without) {
  const token = random.chance(0.2) && { token: random.pick([`token ${id}`, 1_000_000 + id]) };
  return { do: 'call', id: random.chance(0.5) ? id : `call ${id}`, ...randomCall(random, without), ...token };
}

function otherMethod(random) {
  return random.pick([
    { method: 'ping' },
    { method: 'tools/list' },
    { method: 'tools/list', params: { cursor: 'nowhere' } },
    { method: 'resources/list' },
    { method: 'resources/templates/list' },
    { method: 'resources/read', params: { uri: 'deckprobe://schema' } },
    { method: 'resources/read', params: { uri: 'deckprobe://nothing' } },
    { method: 'prompts/list' },
    { method: 'unheard/of' },
    { method: 'initialize', params: {} },
    { method: 'tools/call', params: {} },
    { method: 'tools/call', params: { name: 'probe', arguments: 'none' } },
    { method: 'tools/call', params: { name: 7, arguments: {} } },
    { tool: 'unheard_of', args: {} },
  ]);
}

function flood({ random, id, without }) {
  const calls = Array.from({ length: 1 + random.below(4) }, () => randomCall(random, without));
  const cancelEvery = without.has('cancellations') ? 0 : random.pick([0, 0, 1, 2, 7]);
  return [{ do: 'flood', id: `flood ${id}`, count: random.pick([10, 30, 100, 300]), calls, cancelEvery }];
}

function cancelledCall({ random, id, without }) {
  const made = call(random, id, without);
  const between = random.pick([[], [{ do: 'wait', ms: random.pick([1, 3, 10, 30, 300]) }]]);
  // A second one, and one for what was never asked, are allowed as well.
  const more = random.chance(0.2) ? [{ do: 'cancel', id: random.pick([made.id, 'unheard of']) }] : [];
  return [made, ...between, { do: 'cancel', id: made.id }, ...more];
}

function line({ random, id }, scenario) {
  const shape = random.pick(SHAPES[scenario]);
  // Ids of lines are numbers, for the shapes to put them into JSON.
  const pause = random.chance(0.2) && { pause: random.pick([1, 20, 100]) };
  return {
    do: 'line',
    shape,
    id: 1_000_000 + id,
    ...(scenario === 'huge-arguments' && { mib: random.pick([0.5, 2, 9]) }),
    ...pause,
  };
}

function slowReader({ random, id, without }) {
  const kind = without.has('wide-answers') || without.has('faults') ? 'deck.pptx' : 'fault-wide.pdf';
  const calls = [{ tool: 'probe', args: { path: `{docs}/${kind}` } }, randomCall(random, without)];
  const flooded = { do: 'flood', id: `unread ${id}`, count: random.pick([20, 100, 300]), calls, cancelEvery: 0 };
  const resumed = random.chance(0.8) ? [{ do: 'readOn' }] : [];
  return [{ do: 'stopReading' }, flooded, { do: 'wait', ms: random.pick([50, 500, 2000]) }, ...resumed];
}

function swapWaiting({ random, id }) {
  return [
    { do: 'swapWaiting', id: `swap ${id}`, name: random.pick(SWAPPED), what: random.pick(['outside', ...SWAPS]) },
  ];
}

function longBatch({ random, id, without }) {
  const { path } = randomProbe(random, without).args;
  const of = random.pick([
    path,
    `/gone/${'x'.repeat(95)}`,
    `/gone/${'\u6f22'.repeat(1300)}.pdf`,
    '{docs}/deck.pptx',
    '',
  ]);
  const paths = [{ times: random.pick([8, 64, 65, 1000]), of }];
  return [
    { do: 'call', id, tool: 'probe_batch', args: { paths }, ...(random.chance(0.5) && { token: `token ${id}` }) },
  ];
}

function mode({ random, without }) {
  const command = random.pick(COMMANDS);
  const kinds = modeKinds(command, without);
  return kinds.length === 0 ? [] : [{ do: 'mode', command, fault: random.pick(kinds) }];
}

/** Calls meet an engine that cannot be executed for a moment. */
function busyEngine({ random, id, without }) {
  const flooded = { do: 'flood', id: `busy ${id}`, count: 5, calls: [randomProbe(random, without)], cancelEvery: 0 };
  return [flooded, { do: 'holdEngine', ms: random.pick([1, 10, 100, 400]) }];
}
