import { type Failure, quote } from '../errors.js';
import type { AbsolutePath } from './requested.js';
import type { RootState } from './roots.js';

/** Roots named in a refusal's hint. */
const MAX_ROOTS_SHOWN = 8;

/**
 * Nothing is at a path.
 * @param neighbour the one path that it nearly names, where it may be offered.
 */
export function notFound(
  requested: string,
  { absolute, resolvedFrom }: AbsolutePath,
  neighbour: string | undefined,
): Failure {
  const from =
    resolvedFrom === undefined ? '' : `, resolved from the server's working directory ${quote(resolvedFrom)}`;
  return {
    code: 'MCP_PATH_NOT_FOUND',
    message: `there is nothing at ${quote(absolute)}${from}`,
    hint:
      neighbour === undefined
        ? missingHint(requested, resolvedFrom)
        : `Did you mean ${JSON.stringify(neighbour)}? Its name differs only in letter case, Unicode form or a kind of space.`,
  };
}

function missingHint(requested: string, resolvedFrom: string | undefined): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(requested))
    return 'Only local files can be probed: save the document and give its absolute path.';
  if (resolvedFrom !== undefined)
    return "Give an absolute path: relative ones count from the server's working directory.";
  return 'Check the spelling, and give the absolute path of an existing file.';
}

/**
 * A path is outside the roots. The same words whether or not the file exists.
 * @param states what became of the look at each root, where there was one.
 */
export function notAllowed(
  { absolute }: AbsolutePath,
  roots: readonly string[],
  states?: readonly RootState[],
): Failure {
  const shown = roots.slice(0, MAX_ROOTS_SHOWN).map((root) => quote(root));
  const more = roots.length > shown.length ? ` and ${roots.length - shown.length} more` : '';
  return {
    code: 'MCP_PATH_NOT_ALLOWED',
    message: `${quote(absolute)} is outside the folders that this server may read (DECKPROBE_MCP_ROOTS)`,
    hint: rootsHint(`${shown.join(', ')}${more}`, states),
  };
}

function rootsHint(shown: string, states: readonly RootState[] = []): string {
  if (shown === '')
    return 'No folder is allowed: DECKPROBE_MCP_ROOTS holds placeholders only, which the client did not expand. Ask the operator to correct it.';
  const silent = states.filter((state) => state === 'silent').length;
  const none = states.length > 0 && states.every((state) => typeof state === 'string');
  if (none && silent === 0)
    return `None of the allowed folders exists: ${shown}. Ask the operator to correct DECKPROBE_MCP_ROOTS.`;
  if (none) return `None of the allowed folders answers: ${shown}. Try again when the network share is back.`;
  const some = silent === 0 ? '' : ` ${silent === 1 ? 'One of them does' : `${silent} of them do`} not answer now.`;
  return `Give a path inside ${shown}.${some}`;
}
