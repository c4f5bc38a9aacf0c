import type { JsonObject } from '../engine/types.js';

/** Answers up to this size are indented for the eye, bytes. */
const INDENT_LIMIT = 8192;

/**
 * The text block for a value: indented where that stays small, else compact. Where parsing has lost digits, it is the
 * engine's own text, which has them all.
 * @param compact the engine's own text of the value.
 */
export function renderText(value: JsonObject, compact: string): string {
  if (compact.length > INDENT_LIMIT || losesDigits(compact)) return compact;
  const indented = JSON.stringify(value, null, 2);
  return Buffer.byteLength(indented) <= INDENT_LIMIT ? indented : compact;
}

/** Whether a JSON text holds an integer that a double cannot: one past 2^53 that does not survive the round trip. */
export function losesDigits(json: string): boolean {
  if (!hasLongInteger(json)) return false;
  const numbers = json.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.some((literal) => /^-?\d{16,}$/.test(literal) && BigInt(literal) !== BigInt(Number(literal)));
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
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39;
}
