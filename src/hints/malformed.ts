import path from 'node:path';
import { extension, type HintContext, type HintedError } from './context.js';

/** What this engine refuses even when it is sound, as Office writes it: other content types than it expects. */
const REFUSED = new Set(['docm', 'dotm', 'xlsm', 'xltm', 'xlsb', 'pptm', 'ppsm', 'potm']);

/** What the engine calls the content of a compound file (CFB), in plain words, and the extension that it is read by. */
const COMPOUND: Readonly<Record<string, { readonly what: string; readonly as: string }>> = {
  doc: { what: 'an old Word document', as: '.doc' },
  xls: { what: 'an old Excel workbook', as: '.xls' },
  ppt: { what: 'an old PowerPoint presentation', as: '.ppt' },
  'encrypted-ooxml': { what: 'an encrypted Office document', as: '.docx, .xlsx or .pptx' },
};

/**
 * The engine's words, seen by giving it every kind of content under every extension, for content that is not what the
 * extension says: no probe of such a file is answered, whatever it asks for.
 */
const MISMATCHES =
  /does not contain the expected|is missing required main part|main content type does not match|is missing Index\/Document\.iwa|is missing Metadata\/|root objects do not match/;

/** Its words for a container that ends early or contradicts itself: those answer nothing either. */
const BROKEN = /invalid Zip archive|IWA chunk exceeds/i;

/** The next step after `MALFORMED_INPUT`: the first of these that fits. */
export function malformedHint({ message }: HintedError, context: HintContext): string {
  const { path: requested = '', size, options } = context;
  if (path.posix.basename(requested.replaceAll('\\', '/')).startsWith('~$'))
    return 'A name that begins with ~$ is the small owner file that Office leaves beside an open document: probe the document itself.';
  if (size === 0) return 'The file is empty (0 bytes): there is nothing to probe. A copy that was not finished?';
  const given = extension(requested) ?? '';
  const [, kind = ''] = /suffix does not match CFB ([a-z-]+) content/.exec(message) ?? [];
  const content = COMPOUND[kind];
  if (content !== undefined) {
    const embeds = given === 'xls' ? ', or a workbook that embeds one, which this engine refuses' : '';
    const open = kind === 'encrypted-ooxml' ? '' : ' (this does not mean that it is encrypted)';
    return `By its content the file seems to be ${content.what}${embeds}${open}. Probe a copy named ${content.as}.`;
  }
  if (REFUSED.has(given))
    return `This engine refuses .${given} files even when they are sound: there is nothing to retry. Treat it as unknown whether the file holds macros.`;
  if (MISMATCHES.test(message)) return mismatchHint(given);
  if (BROKEN.test(message))
    return 'The file seems to be damaged or incomplete: there is nothing to retry. Ask for another copy.';
  const isHeader = options?.targets?.every((target) => target === '@header') && options.targets.length > 0;
  if (isHeader) return 'Not proof of damage, but not even its header can be read here.';
  return 'Not proof of damage: the file may be sound and beyond this engine. Retry with targets ["@header"].';
}

function mismatchHint(given: string): string {
  const also = given === 'pdf' ? ' (or bytes stand before %PDF, which other readers skip)' : '';
  return `Not proof of damage: the content is not what the extension says, which may be wrong${also}: a copy with the right one can be probed. If it is right, the file is damaged or of a kind that this engine does not read.`;
}
