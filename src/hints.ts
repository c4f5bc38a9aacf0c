import type { McpErrorCode } from './errors.js';
import { extension, type HintContext, type HintedError } from './hints/context.js';
import { malformedHint } from './hints/malformed.js';

export type { HintContext, HintedError } from './hints/context.js';

type Hint = string | ((error: HintedError, context: HintContext) => string);

const ENGINE_ISSUES = 'https://github.com/deckflow/deckprobe/issues';
const BUG = `A bug of the engine or of this server: report it, with the message, at ${ENGINE_ISSUES}.`;
const IWORK_FOLDER = /\.(key|numbers|pages)[/\\]?$/i;

/** The wording was found by watching agents work through real questions; each line gives one next action. */
const BY_CODE: Record<McpErrorCode, Hint> & Record<string, Hint> = {
  MALFORMED_INPUT: malformedHint,
  UNSUPPORTED_TARGET: (_error, { path, options }) => {
    // The engine says so too of a target that cannot reach the confidence asked for.
    if (options?.min_confidence === 'exact') return 'Leave min_confidence out: few targets reach exact.';
    return `Check the name with list_targets {"format":"${extension(path) ?? 'pptx'}"}. What it does not list, the format cannot tell. If it is listed, raise level to its min_level; if the file is encrypted, ask only ["@security"].`;
  },
  BUDGET_EXCEEDED: budgetHint,
  UNSUPPORTED_FORMAT: (_error, { format }) =>
    format === undefined
      ? 'The extension decides. See list_formats; a copy with the right extension can be probed.'
      : 'Take one of the profiles that list_formats names, without the dot.',
  INVALID_REQUEST: ({ message }, { path = '' }) => {
    if (message.includes('unrequested target')) return 'Add the target named in target_confidence to targets.';
    if (message.includes('confidence'))
      return 'Correct target_confidence: each key is one target name, without = or comma.';
    if (message.includes('target set is empty')) return 'Name at least one target, or leave targets out.';
    if (IWORK_FOLDER.test(path))
      return 'An iWork document saved as a folder cannot be read: save it as a single file first, then probe that.';
    return 'Give one regular file, not a folder (an iWork document saved as a folder must be saved as a single file first).';
  },
  SOURCE_IO: ({ message }, { platform = process.platform }) =>
    platform === 'darwin' && message.includes('Operation not permitted')
      ? 'macOS keeps that folder from the application that started this server: the user can grant it under System Settings, Privacy & Security, Files and Folders (or Full Disk Access).'
      : 'The file cannot be read by the server: check permissions.',
  PARSER_FAILURE: BUG,
  CLI_SYNTAX: BUG,
  MCP_INVALID_ARGUMENT: 'Correct the argument that the message names and call again.',
  MCP_PATH_NOT_FOUND: 'Give the absolute path of an existing file.',
  MCP_PATH_NOT_ALLOWED: 'Give a path inside the folders that DECKPROBE_MCP_ROOTS names.',
  MCP_TIMEOUT: ({ message }) => {
    const online = message.includes('running the engine')
      ? ' A file that is kept online only (OneDrive, iCloud) has to be downloaded first.'
      : '';
    return `The limit is the operator's (DECKPROBE_MCP_TIMEOUT_MS). In a batch, ask again without the first file that timed out.${online}`;
  },
  MCP_OUTPUT_LIMIT: 'Name fewer targets, or fewer files, or view "values".',
  MCP_BATCH_TOO_LARGE: 'Split the list.',
  MCP_ENGINE_NOT_FOUND: 'Install the engine package that the message names, or set DECKPROBE_MCP_BIN to an engine.',
  MCP_ENGINE_FAILURE: `Try again once; if it stays, report it with the message at ${ENGINE_ISSUES}.`,
};

/** For a code that is not known here: the advice of its exit code's kind. */
const BY_EXIT_CODE: Record<number, string> = {
  1: 'Correct the arguments as the message says and call again.',
  2: 'Check that the path names a file which the server can read.',
  3: 'The extension decides. See list_formats.',
  4: 'Check the file, or retry with targets ["@header"].',
  6: BUG,
};

/** The one next action for an error, chosen by its code; an unknown code takes that of its exit code. */
export function hintFor(error: HintedError, context: HintContext = {}): string {
  const hint = Object.hasOwn(BY_CODE, error.code) ? BY_CODE[error.code] : undefined;
  if (typeof hint === 'function') return hint(error, context);
  return hint ?? BY_EXIT_CODE[error.exit_code] ?? BUG;
}

/** The engine's messages name the limit that ran out, each in its own words. */
const BUDGET_FIELDS = [
  [/physical read|file size/, 'max_physical_bytes'],
  [/expanded/, 'max_expanded_bytes'],
  [/archive entries/, 'max_archive_entries'],
  [/timeout/, 'timeout_ms'],
] as const;

/** A budget that the call set itself stands at every level, so a deeper one would not help there. */
function budgetHint({ message }: HintedError, { options }: HintContext): string {
  const field = BUDGET_FIELDS.find(([words]) => words.test(message))?.[1];
  const name = field === undefined ? 'the budget field that the message speaks of' : `budget.${field}`;
  const raise = `raise ${name}, and only if the user trusts the file.`;
  const set = field === undefined ? undefined : options?.budget?.[field];
  if (set !== undefined) return `Your ${name} was ${set}: leave it out, or ${raise}`;
  if (options?.level === 'deep') return `Level "deep" was not enough: ${raise}`;
  return `Retry with level "deep"; if that is not enough, ${raise}`;
}
