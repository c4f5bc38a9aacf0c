// Random steps for a file system that never answers: calls that name it, and what may happen while their looks hang.
import { randomCall, randomOptions } from './arguments.mjs';
import { GOOD } from './documents.mjs';

/** Looks that may hang in one script: the server promises nothing for more than some two thousand. */
export const DEAD_LOOKS = 1500;

const STEPS = [
  { weight: 3, make: (at) => [deadCall(at)] },
  { weight: 3, make: (at) => [deadBatch(at)] },
  { weight: 3, make: (at) => [deadFlood(at)] },
  { weight: 2, make: cancelled },
  { weight: 2, make: (at) => [deadFlood(at), { do: 'besides' }] },
  { weight: 1, make: (at) => [deadBatch(at), { do: 'besides' }] },
  { weight: 1, make: unread },
  { weight: 2, make: ({ random }) => [{ do: 'killHelpers', count: random.pick([1, 1, 16]) }, { do: 'besides' }] },
  { weight: 2, make: (at) => [deadFlood(at), ...pause(at), ...at.restart()] },
];
const KINDS = STEPS.flatMap((step) => Array(step.weight).fill(step));

/** @param at `random`, `id`, `without`; `dead.left`: looks that may hang yet; `restart()`: steps for another server. */
export function deadSteps(at) {
  if (at.dead.left <= 0) return [{ do: 'besides' }];
  return at.random.pick(KINDS).make(at);
}

/** The same name again and again, names and folders of their own, links, and paths that are only found respelled. */
function deadPath({ random, id }) {
  return random.pick([
    '{dead}/same.pdf',
    '{dead}/same.pdf',
    '{dead}/same/same.pdf',
    `{dead}/${id}.pptx`,
    `{dead}/${id}/{each}.pdf`,
    '{dead}/{each}.pdf',
    '{dead}/{each}/a.docx',
    '{dead}',
    '{dead-link}',
    '{dead-folder}/{each}.pdf',
    'file://{dead}/url.pdf',
    '"{dead}/quoted.pdf"',
  ]);
}

function deadProbe(at) {
  at.dead.left -= 1;
  return { tool: 'probe', args: { path: deadPath(at), ...randomOptions(at.random) } };
}

function deadCall(at) {
  return { do: 'call', id: `dead ${at.id}`, ...deadProbe(at), ...token(at) };
}

/** Paths on it, alone or among good ones. */
function deadBatch(at) {
  const { random, dead } = at;
  const length = random.pick([1, 2, 5, 8, 8, 40, 64]);
  const share = random.pick([0.1, 0.5, 1]);
  const paths = Array.from({ length }, () => {
    if (!random.chance(share)) return `{docs}/${random.pick(GOOD)}`;
    dead.left -= 1;
    return deadPath(at);
  });
  return { do: 'call', id: `dead batch ${at.id}`, tool: 'probe_batch', args: { paths }, ...token(at) };
}

function deadFlood(at) {
  const { random, id, without, dead } = at;
  const count = random.pick([4, 10, 30, 100, 300]);
  const calls = Array.from({ length: 1 + random.below(4) }, () =>
    random.chance(0.6) ? deadProbe(at) : randomCall(random, without),
  );
  dead.left -= count;
  const cancelEvery = without.has('cancellations') ? 0 : random.pick([0, 0, 1, 2, 7]);
  return { do: 'flood', id: `dead flood ${id}`, count, calls, cancelEvery };
}

function cancelled(at) {
  const call = at.random.chance(0.5) ? deadCall(at) : deadBatch(at);
  return at.without.has('cancellations') ? [call] : [call, ...pause(at), { do: 'cancel', id: call.id }];
}

function unread(at) {
  if (at.without.has('slow-reader')) return [deadFlood(at)];
  return [{ do: 'stopReading' }, deadFlood(at), ...pause(at), { do: 'readOn' }];
}

function pause({ random }) {
  return random.pick([[], [{ do: 'wait', ms: random.pick([1, 20, 300, 1000]) }]]);
}

function token({ random, id }) {
  return random.chance(0.2) && { token: `dead token ${id}` };
}
