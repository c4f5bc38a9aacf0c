// Times in milliseconds and what is said of them.

export async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

export function spread(times) {
  const sorted = times.toSorted ? times.toSorted((a, b) => a - b) : [...times].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  return { median: round3(median), min: round3(sorted[0]), max: round3(sorted.at(-1)), runs: sorted.length };
}

export const round3 = (value) => Math.round(value * 1000) / 1000;
/** Does something again and again; `work` is told how often it was done before. */
export const times = async (count, work) => {
  for (let index = 0; index < count; index += 1) await work(index);
};
/** Until a server that was asked much has come to rest. */
export const settled = () => new Promise((resolve) => setTimeout(resolve, 500));
