import type { Confidence, ProbeLevel } from '../types.js';
import type { SdkBudgetField, SdkOptions } from './sdk.js';

/** One command of the engine's, as this server gives it. */
export type Command =
  | { readonly kind: 'version' | 'formats' | 'schema' }
  | { readonly kind: 'targets'; readonly format: string }
  | { readonly kind: 'probe'; readonly path: string; readonly request: ProbeRequest }
  | { readonly kind: 'jsonl'; readonly request: ProbeRequest };

export interface ProbeRequest {
  readonly options: Omit<SdkOptions, 'name'>;
  readonly values: boolean;
  /** What the command line has to say against the options before any document is read. */
  readonly refusal: string | undefined;
}

const BUDGET_FLAGS: Readonly<Record<string, SdkBudgetField>> = {
  '--probe-size': 'maxPhysicalBytes',
  '--max-expanded-bytes': 'maxExpandedBytes',
  '--max-archive-entries': 'maxArchiveEntries',
  '--timeout-ms': 'timeoutMs',
};

const CONFIDENCES: readonly string[] = ['low', 'medium', 'high', 'exact'] satisfies Confidence[];

/**
 * Reads the small command line that this server uses of the engine's: the subcommands, and the flags of `probeFlags`.
 * @throws Error for anything else, which only a mistake in this server can bring about.
 */
export function parseCommandLine(args: readonly string[]): Command {
  const [first = ''] = args;
  if (first === '--version') return { kind: 'version' };
  if (first === 'formats' || first === 'schema') return { kind: first };
  if (first === 'targets') return { kind: 'targets', format: (args[1] ?? '').replace(/^--format=/, '') };
  if (first === '--jsonl') return { kind: 'jsonl', request: parseFlags(args.slice(1)) };
  const path = args.at(-1);
  if (args.at(-2) !== '--' || path === undefined) throw new Error(`not a command of this engine: ${args.join(' ')}`);
  return { kind: 'probe', path, request: parseFlags(args.slice(0, -2)) };
}

function parseFlags(flags: readonly string[]): ProbeRequest {
  const options: ProbeRequest['options'] = {};
  let values = false;
  let refusal: string | undefined;
  for (const flag of flags) {
    const at = flag.indexOf('=');
    const [name, value] = [flag.slice(0, at), flag.slice(at + 1)];
    const limit = BUDGET_FLAGS[name];
    if (name === '--targets') options.targets = [...(options.targets ?? []), ...value.split(',')];
    else if (name === '--probe-level') options.level = value as ProbeLevel;
    else if (name === '--minimum-confidence') options.minimumConfidence = value as Confidence;
    else if (flag === '--view=values') values = true;
    else if (limit !== undefined) options.budget = { ...options.budget, [limit]: Number(value) };
    else if (name === '--target-confidence')
      for (const item of value.split(',')) refusal ??= addTargetConfidence(options, item);
    else throw new Error(`not a flag of this engine: ${flag}`);
  }
  return { options, values, refusal };
}

/** Takes one `target=confidence`; returns the native command line's words where it would refuse it. */
function addTargetConfidence(options: ProbeRequest['options'], item: string): string | undefined {
  const at = item.indexOf('=');
  if (at === -1) return `target confidence must be key=value: ${item}`;
  const [target, confidence] = [item.slice(0, at), item.slice(at + 1)];
  if (target === '' || confidence === '') return `invalid target confidence: ${item}`;
  if (!CONFIDENCES.includes(confidence)) return `invalid confidence in target override ${item}`;
  options.targetConfidence = { ...options.targetConfidence, [target]: confidence as Confidence };
  return undefined;
}
