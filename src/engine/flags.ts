import type { Budget, ProbeOptions } from './types.js';

const BUDGET_FLAGS: readonly (readonly [keyof Budget, string])[] = [
  ['max_physical_bytes', '--probe-size'],
  ['max_expanded_bytes', '--max-expanded-bytes'],
  ['max_archive_entries', '--max-archive-entries'],
  ['timeout_ms', '--timeout-ms'],
];

/** The engine's flags for a probe's options, one to one. The `=` form keeps a value that begins with a dash a value. */
export function probeFlags(options: ProbeOptions): string[] {
  const flags = (options.targets ?? []).map((target) => `--targets=${target}`);
  if (options.level !== undefined) flags.push(`--probe-level=${options.level}`);
  if (options.min_confidence !== undefined) flags.push(`--minimum-confidence=${options.min_confidence}`);
  for (const [target, confidence] of Object.entries(options.target_confidence ?? {}))
    flags.push(`--target-confidence=${target}=${confidence}`);
  if (options.view === 'values') flags.push('--view=values');
  for (const [field, flag] of BUDGET_FLAGS) {
    const limit = options.budget?.[field];
    if (limit !== undefined) flags.push(`${flag}=${limit}`);
  }
  return flags;
}
