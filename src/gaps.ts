import type { Gap } from './gaps/gap.js';
import { IWORK_GAPS } from './gaps/iwork.js';
import { LEGACY_GAPS, LEGACY_MERGED } from './gaps/legacy.js';
import { OOXML_GAPS, OOXML_MERGED } from './gaps/ooxml.js';
import { OOXML_FORMAT_GAPS, OOXML_FORMAT_MERGED } from './gaps/ooxml-formats.js';
import { PDF_GAPS, PDF_MERGED } from './gaps/pdf.js';

export type { Gap, Merged } from './gaps/gap.js';

/** All that is known to mislead. What agents and people are told of the engine's gaps is made from this or checked against it. */
export const GAPS: readonly Gap[] = [...PDF_GAPS, ...OOXML_GAPS, ...OOXML_FORMAT_GAPS, ...LEGACY_GAPS, ...IWORK_GAPS];

/** What is said of a target that several gaps concern. */
export const MERGED = [...PDF_MERGED, ...OOXML_MERGED, ...OOXML_FORMAT_MERGED, ...LEGACY_MERGED] as const;

/** The most characters of a caveat: it stands in a catalogue that is sent at each request. */
export const CAVEAT_LIMIT = 100;

/**
 * What to know of the targets of a format before believing them: target id to one sentence of at most {@link CAVEAT_LIMIT} characters.
 * The engine's version plays no part: with a newer one, caution does less harm than trust.
 * @param profile as the `profile` of the engine's catalogue names it; one that the table does not know has no caveats.
 */
export function caveatsFor(profile: string): ReadonlyMap<string, string> {
  const caveats = new Map<string, string>();
  const of = <T extends { readonly formats: readonly string[] }>(entries: readonly T[]) =>
    entries.filter(({ formats }) => formats.includes(profile));
  for (const { targets, agent } of of(GAPS)) for (const target of targets) caveats.set(target, agent);
  for (const { target, agent } of of(MERGED)) caveats.set(target, agent);
  return caveats;
}
