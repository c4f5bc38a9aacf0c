// The shortest part of a failing script that still fails: delta debugging over its steps, then over what its steps hold.

/**
 * Shrinks a script.
 * @param fails plays a script; resolves to whether it fails as the whole one did.
 * @param budget `runs`: the most scripts that are played; `tries`: how often one is played before it counts as one that does
 *   not fail; `goesOn()`: whether there is time left.
 * @returns `{ script, runs }`: the shortest one found, which has failed, and how many were played.
 */
export async function shrink(script, fails, { runs: most, tries, goesOn }) {
  let shortest = script;
  let runs = 0;
  const tried = new Set([JSON.stringify(script)]);
  const left = () => runs < most && goesOn();
  const failsOnce = async (candidate) => {
    for (let attempt = 0; attempt < tries && left(); attempt += 1) {
      runs += 1;
      if (await fails(candidate)) return true;
    }
    return false;
  };
  const take = async (candidate) => {
    const key = JSON.stringify(candidate);
    if (!left() || tried.has(key)) return false;
    tried.add(key);
    if (!(await failsOnce(candidate))) return false;
    shortest = candidate;
    return true;
  };

  // Most failures are of the last server alone, and many of the last few steps.
  await take(lastServer(script));
  await takeAny([shortest.slice(-1), shortest.slice(-3), [shortest[0], ...shortest.slice(-3)]], take);
  for (let pieces = 2; shortest.length > 1 && left(); ) {
    const size = Math.ceil(shortest.length / pieces);
    if (await takeAny(partsWithout(shortest, size), take)) pieces = Math.max(2, pieces - 1);
    else if (size === 1) break;
    else pieces = Math.min(shortest.length, pieces * 2);
  }
  while (left() && (await takeAny(smaller(shortest), take)));
  return { script: shortest, runs };
}

function lastServer(script) {
  const start = script.findLastIndex((step) => step.do === 'start');
  return script.slice(Math.max(0, start));
}

async function takeAny(candidates, take) {
  for (const candidate of candidates) if (await take(candidate)) return true;
  return false;
}

/** The script without each piece of some steps, the later pieces first: a failure rarely needs what comes after it. */
function* partsWithout(script, size) {
  for (let from = Math.floor((script.length - 1) / size) * size; from >= 0; from -= size)
    yield [...script.slice(0, from), ...script.slice(from + size)];
}

/** Scripts with one step made smaller. */
function* smaller(script) {
  for (const [at, step] of script.entries()) for (const each of smallerSteps(step)) yield script.with(at, each);
}

function* smallerSteps(step) {
  for (const key of ['count', 'calls']) {
    const value = step[key];
    if (typeof value === 'number' && value > 1) for (const less of [1, value >> 1]) yield { ...step, [key]: less };
    if (Array.isArray(value) && value.length > 1)
      for (const index of value.keys()) yield { ...step, [key]: value.toSpliced(index, 1) };
  }
  if (step.cancelEvery > 0) yield { ...step, cancelEvery: 0 };
  const paths = step.args?.paths;
  if (!Array.isArray(paths)) return;
  for (const [index, each] of paths.entries()) {
    if (paths.length > 1) yield { ...step, args: { ...step.args, paths: paths.toSpliced(index, 1) } };
    if (each?.times > 1)
      yield { ...step, args: { ...step.args, paths: paths.with(index, { ...each, times: each.times >> 1 }) } };
  }
}
