import { clip } from '../errors.js';
import { escapedBytes } from '../json.js';

/*
 * What JSON takes in a tool result, which holds it twice: as structured content and, escaped once more, as text. Bytes.
 */

/** The exact cost of a value, with the commas after it. Both are JSON texts of it, which may differ in their numbers. */
export function costOf(structured: string, text: string): number {
  return Buffer.byteLength(structured) + escapedBytes(text) + 2;
}

/** What the contents of a string take at the most. */
export function stringCost(text: string): number {
  let cost = 0;
  for (let at = 0; at < text.length; at += 1) cost += unitCost(text.charCodeAt(at));
  return cost;
}

/** The beginning of a string, well-formed, that takes at most `limit`; a cut is marked with "…". */
export function clipToCost(text: string, limit: number): string {
  let cost = 0;
  let fitting = 0;
  for (let at = 0; at < text.length; at += 1) {
    cost += unitCost(text.charCodeAt(at));
    if (cost > limit) return clip(text, fitting + 1);
    if (cost + ELLIPSIS_COST <= limit) fitting = at + 1;
  }
  return clip(text, text.length);
}

const ELLIPSIS_COST = unitCost('…'.charCodeAt(0));

function unitCost(unit: number): number {
  // A control character is written as six characters, then as seven; a quote and a backslash as two, then as four.
  if (unit < 0x20) return 13;
  if (unit === 0x22 || unit === 0x5c) return 6;
  if (unit < 0x80) return 2;
  // Half of a surrogate pair takes four, but six where it has lost its other half.
  return unit < 0x800 ? 4 : 6;
}
