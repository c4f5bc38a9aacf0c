import type { JsonObject } from '../engine/types.js';

/**
 * The text block for a value: to the byte what JSON.stringify makes of the structured content, since some hosts send a
 * model both unless they are equal (docs/clients.md). Where parsing has lost digits it is the engine's own text.
 * @param text the engine's own text of the value.
 */
export function renderText(value: JsonObject, text: string): string {
  return losesDigits(text) ? text : JSON.stringify(value);
}

/** Whether a JSON text holds an integer that a double cannot: one past 2^53 that does not survive the round trip. */
export function losesDigits(json: string): boolean {
  if (!hasLongInteger(json)) return false;
  const numbers = json.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.some((literal) => /^-?\d{16,}$/.test(literal) && !survives(literal));
}

/** The longest double has 309 digits before its point; longer literals are not worth the time that BigInt takes. */
const LONGEST_DOUBLE = 310;

function survives(integer: string): boolean {
  const double = integer.length > LONGEST_DOUBLE ? Number.POSITIVE_INFINITY : Number(integer);
  return Number.isFinite(double) && BigInt(integer) === BigInt(double);
}

/** 2^53 has sixteen digits. */
const LONG = 16;

/**
 * Whether sixteen digits follow each other, other than in a fraction. Of such a run one stands at a multiple of sixteen, so only those places are
 * looked at: every answer is asked, and a regular expression takes longer than to parse it.
 */
function hasLongInteger(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    let start = at;
    while (isDigit(text, start - 1)) start -= 1;
    let end = at;
    while (isDigit(text, end)) end += 1;
    if (end - start >= LONG && text[start - 1] !== '.') return true;
    // No run is walked twice: a fraction may have a million digits.
    at = Math.max(at, end);
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39;
}
