import { type Failure, quote } from '../errors.js';
import type { AbsolutePath } from './requested.js';
import { windowsPath } from './respelled.js';
import type { RootState } from './roots.js';

/** Roots named in a refusal's hint. */
const MAX_ROOTS_SHOWN = 8;

/** An existing and allowed path that the caller may have meant. */
export interface Offer {
  readonly path: string;
  /** How it differs from what was asked for, as a sentence. */
  readonly difference: string;
}

/** Nothing is at a path. */
export function notFound(
  requested: string,
  { absolute, resolvedFrom }: AbsolutePath,
  offer: Offer | undefined,
  platform: NodeJS.Platform = process.platform,
): Failure {
  const from =
    resolvedFrom === undefined ? '' : `, resolved from the server's working directory ${quote(resolvedFrom)}`;
  return {
    code: 'MCP_PATH_NOT_FOUND',
    message: `there is nothing at ${quote(absolute)}${from}`,
    hint: offer === undefined ? missingHint(requested, resolvedFrom, platform) : offerHint(offer),
  };
}

function offerHint({ path, difference }: Offer): string {
  return `Did you mean ${JSON.stringify(path)}? ${difference}`;
}

function missingHint(requested: string, resolvedFrom: string | undefined, platform: NodeJS.Platform): string {
  if (platform !== 'win32' && windowsPath(requested) !== undefined) {
    const system = platform === 'darwin' ? 'macOS' : 'Linux';
    return `That is a Windows path, and this server runs on ${system}: give the absolute path that the file has there.`;
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(requested))
    return 'Only local files can be probed: save the document and give its absolute path.';
  if (resolvedFrom !== undefined)
    return "Give an absolute path: relative ones count from the server's working directory.";
  return 'Check the spelling, and give the absolute path of an existing file.';
}

/** A path opens a device of Windows, with or without roots. */
export function isNoFile({ absolute }: AbsolutePath): Failure {
  return {
    code: 'MCP_PATH_NOT_ALLOWED',
    message: `${quote(absolute)} names a device of Windows, not a file`,
    hint: 'Give the path of a document, with a drive or a share. Names such as CON, NUL or COM1, whatever extension follows, belong to devices: rename such a file.',
  };
}

/**
 * A path is outside the roots. The same words whether or not the file exists.
 * @param states what became of the look at each root, where there was one.
 * @param offer a path inside the roots that the caller may have meant.
 */
export function notAllowed(
  { absolute }: AbsolutePath,
  roots: readonly string[],
  states?: readonly RootState[],
  offer?: Offer,
): Failure {
  const shown = roots.slice(0, MAX_ROOTS_SHOWN).map((root) => quote(root));
  const more = roots.length > shown.length ? ` and ${roots.length - shown.length} more` : '';
  return {
    code: 'MCP_PATH_NOT_ALLOWED',
    message: `${quote(absolute)} is outside the folders that this server may read (DECKPROBE_MCP_ROOTS)`,
    hint: offer === undefined ? rootsHint(`${shown.join(', ')}${more}`, states) : offerHint(offer),
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
