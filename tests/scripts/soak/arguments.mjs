// Random calls of the tools: mostly sensible ones, of documents good, odd and missing, and some that no schema allows.

import { GOOD, SWAPPED } from './documents.mjs';
import { faultKinds } from './faults.mjs';

const FORMATS = ['pptx', 'pdf', 'xls', 'numbers', '.docx', 'KEY', 'tsv', ''];
const TARGETS = [
  '@summary',
  '@all',
  '@structure',
  'document.title',
  'document.created_at',
  'no.such',
  '--strict',
  'a,b',
];
/** Values of every kind, for wherever one may stand. */
const ODD_VALUES = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  'null',
  '\0',
  '\ud800',
  [],
  {},
  [[]],
  { a: { b: {} } },
  '{long:40000}',
  '[]',
];
const ODD_PATHS = [
  '',
  '\0',
  '~',
  '~/nothing.pdf',
  '.',
  '/',
  '/dev/null',
  '/proc/self/mem',
  'docs/deck.pptx',
  'file://{docs}/deck.pptx',
  'file://elsewhere/x.pdf',
  'https://example.com/x.pdf',
  '{docs}',
  '{docs}/',
  '{docs}/folder.pdf',
  '{docs}/loop.pdf',
  '{docs}/dangling.pdf',
  '{docs}/secret.pdf',
  '{docs}/link.pptx',
  '{docs}/../outside/secret.pdf',
  '{docs}/deck.pptx/below.pdf',
  '{docs}/DECK.pptx',
  '{docs}/{long:300}.pdf',
  '{long:40000}',
  '{docs}/\ud800.pdf',
  '{docs}/line\nfeed.pdf',
  '--strict',
];

/** A call of any tool: `{ tool, args }`. */
export function randomCall(random, without) {
  const made = random.pick([randomProbe, randomProbe, randomBatch, randomDiscovery])(random, without);
  return random.chance(0.1) ? { ...made, args: spoiled(random, made.args) } : made;
}

/** A call of `probe` that its schema allows, whatever there is at its path. */
export function randomProbe(random, without) {
  return { tool: 'probe', args: { path: randomPath(random, without), ...randomOptions(random) } };
}

function randomBatch(random, without) {
  const paths = Array.from({ length: random.pick([1, 2, 5, 8, 8, 20]) }, () => randomPath(random, without));
  return { tool: 'probe_batch', args: { paths, ...randomOptions(random) } };
}

function randomDiscovery(random, without) {
  // A catalogue is kept: many calls are then answered at once without any work of the engine.
  const hidden = without.has('wide-catalogues') ? ['wide', 'huge'] : [];
  const kinds = faultKinds(without).filter((kind) => !hidden.includes(kind));
  const format = kinds.length > 0 && random.chance(0.5) ? `fault-${random.pick(kinds)}` : random.pick(FORMATS);
  const detail = random.chance(0.5) && { detail: random.pick(['compact', 'full']) };
  return random.chance(0.3)
    ? { tool: 'list_formats', args: {} }
    : { tool: 'list_targets', args: { format, ...detail } };
}

function randomPath(random, without) {
  const kinds = faultKinds(without);
  const faulty = kinds.length > 0 ? [`{docs}/fault-${random.pick(kinds)}.pdf`] : [];
  return random.pick([
    `{docs}/${random.pick(GOOD)}`,
    ...faulty,
    ...faulty,
    `{docs}/${random.pick(SWAPPED)}`,
    random.chance(0.5) ? '{docs}/missing.pdf' : random.pick(ODD_PATHS),
  ]);
}

export function randomOptions(random) {
  return {
    ...(random.chance(0.5) && { targets: Array.from({ length: random.below(4) }, () => random.pick(TARGETS)) }),
    ...(random.chance(0.3) && { level: random.pick(['header', 'metadata', 'deep']) }),
    ...(random.chance(0.3) && { view: random.pick(['report', 'values']) }),
    ...(random.chance(0.1) && { min_confidence: random.pick(['low', 'medium', 'high', 'exact']) }),
    ...(random.chance(0.1) && {
      budget: { max_archive_entries: random.pick([1, 1_000_000]), timeout_ms: 1 + random.below(500) },
    }),
  };
}

/** Arguments with one value, or all of them, put out of place. */
function spoiled(random, args) {
  const value = random.pick(ODD_VALUES);
  if (random.chance(0.1)) return value;
  const keys = [
    ...Object.keys(args),
    'path',
    'paths',
    'targets',
    'target_confidence',
    'budget',
    'unheard_of',
    '__proto__',
  ];
  // An own property, even for a name that stands for the prototype.
  return Object.fromEntries([...Object.entries(args), [random.pick(keys), value]]);
}
