import * as z from 'zod';
import { quote } from './errors.js';

export { type Parsed, toolInput, toolOutput } from './schemas/tool-schema.js';

/*
 * Every schema is a function, so that it is made when a tool is listed or called: to make them all takes longer than the
 * rest of the answer to `initialize`.
 */

const confidence = () => z.enum(['low', 'medium', 'high', 'exact']);
const level = () => z.enum(['header', 'metadata', 'deep']);
const view = () => z.enum(['report', 'values']);
const strings = () => z.array(z.string());
/** The most targets that one call may name: a format has 56 at most, and nine selectors. */
const MAX_TARGETS = 100;
const targets = () => strings().max(MAX_TARGETS).optional();
/** Each limit has a ceiling, since a 1 MB file can unpack to gigabytes; what it bounds, in short and in full. */
const LIMITS = {
  max_physical_bytes: [1_073_741_824, 'Bytes read.', ' A PDF needs its full size. 16 MiB; deep 128 MiB.'],
  max_expanded_bytes: [536_870_912, 'Bytes unpacked.', ' 8 MiB; deep 256 MiB.'],
  max_archive_entries: [1_000_000, 'ZIP entries.', ' 10000; deep 50000.'],
  timeout_ms: [600_000, 'Engine time.', " 500; deep 5000. The server's own limit stays."],
} as const;

/** @param inFull the list of tools is paid for in each session, so one tool explains the limits. */
const budget = (inFull: boolean) => {
  const limit = ([ceiling, short, more]: readonly [number, string, string]) =>
    z
      .int()
      .min(1)
      .max(ceiling)
      .optional()
      .describe(inFull ? `${short}${more}` : short);
  return z.strictObject({
    max_physical_bytes: limit(LIMITS.max_physical_bytes),
    max_expanded_bytes: limit(LIMITS.max_expanded_bytes),
    max_archive_entries: limit(LIMITS.max_archive_entries),
    timeout_ms: limit(LIMITS.timeout_ms),
  });
};

/** Bytes of the list of tools that the allowed folders may take. */
const MAX_ROOTS_BYTES = 145;

/** Which folders a path may be in; nothing where every path may be read. Without it an agent learns it by a refusal. */
function allowedFolders(roots: readonly string[] | undefined): string {
  if (roots === undefined) return '';
  const sentence = (count: number) => {
    const more = roots.length > count ? ` and ${roots.length - count} more` : '';
    return ` Only inside ${roots
      .slice(0, count)
      .map((root) => quote(root))
      .join(', ')}${more}.`;
  };
  for (let count = roots.length; count > 0; count -= 1)
    if (Buffer.byteLength(JSON.stringify(sentence(count))) <= MAX_ROOTS_BYTES) return sentence(count);
  return ` Only inside ${roots.length} folders that the operator has set (DECKPROBE_MCP_ROOTS).`;
}

/** @param roots the folders that paths may be in, or undefined when every path may be read. */
export const probeInput = (roots?: readonly string[]) =>
  z.strictObject({
    path: z
      .string()
      .describe(
        `Absolute path, ~/path or file:// URL of one file. Relative paths resolve against the server's directory, not yours. No folder, glob or web address. The extension decides the format.${allowedFolders(roots)}`,
      ),
    targets: targets().describe(
      'Target names and selectors, merged: @all; @default (if omitted: identity, title, author, main counts); @summary (identity, counts but of PDF, .doc, .xls, .ppt); @structure (counts); @security; @assets; @quality (no damage check); @format; @header. Dates: @all, or created_at and modified_at. Names as list_targets gives them; one that the format lacks fails the probe.',
    ),
    level: level()
      .optional()
      .describe(
        'header: identity only. metadata: default. deep: also JavaScript, active_content_risk, signature_count, Word tables, Keynote hidden slides; still fast, allows bigger files. Selectors leave out, silently, what needs a higher level.',
      ),
    min_confidence: confidence()
      .optional()
      .describe(
        'Default high; leave it. low adds estimates (Word counts at deep); exact drops authors, titles, dates and Word page counts.',
      ),
    target_confidence: z
      .object({})
      .catchall(confidence())
      .meta({ maxProperties: MAX_TARGETS })
      .optional()
      .describe('min_confidence for single requested targets, by name.'),
    view: view()
      .optional()
      .describe(
        'values: name to value, small. report (default): also status, confidence and source of each value, 3-4 times larger.',
      ),
    budget: budget(true)
      .optional()
      .describe(
        'Raise only after BUDGET_EXCEEDED at level deep, for a file the user trusts: a 1 MB file can unpack to gigabytes.',
      ),
  });

/** @param maxBatch the most paths that one call may name. */
export function probeBatchInput(maxBatch: number) {
  return z.strictObject({
    paths: strings().min(1).max(maxBatch).describe('Files, each as path in probe.'),
    targets: targets().describe('As in probe; selectors suit every format.'),
    level: level().optional().describe('As in probe; security triage needs deep.'),
    min_confidence: confidence().optional().describe('As in probe.'),
    view: view().optional().describe('values (default) or report, as in probe.'),
    budget: budget(false).optional().describe('As in probe, for each file.'),
  });
}

export const listFormatsInput = () => z.strictObject({});

export const listTargetsInput = () =>
  z.strictObject({
    format: z.string().describe('Extension without dot (pptx, pdf, xls, numbers), any case.'),
    detail: z
      .enum(['compact', 'full'])
      .optional()
      .describe('compact (default), or full: all the engine knows of each target, 3 times larger.'),
  });

/*
 * Output schemas document the top level of an answer and can never reject one: they are open and require nothing,
 * because clients of the SDK's version 1 hold error envelopes against them too.
 */
const anyObject = () => z.looseObject({}).optional();
const envelope = () => ({
  schema_version: z.number().optional(),
  tool_version: z.string().optional(),
  status: z.string().optional(),
  error: anyObject(),
  hint: z.string().optional(),
});

export const probeOutput = () =>
  z.looseObject({
    ...envelope(),
    input: anyObject(),
    driver: anyObject(),
    results: anyObject().describe('view report'),
    values: anyObject().describe('view values'),
  });

export const probeBatchOutput = () =>
  z.looseObject({
    reports: z
      .array(z.looseObject({}))
      .optional()
      .describe('path, report and, for an error, hint; one a path, in order'),
    error: envelope().error,
    hint: envelope().hint,
  });

export const listFormatsOutput = () => z.looseObject({ ...envelope(), formats: z.array(z.looseObject({})).optional() });

export const listTargetsOutput = () => z.looseObject({ ...envelope(), targets: z.array(z.looseObject({})).optional() });
