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
  if (!/\d{16}/.test(json)) return false;
  const numbers = json.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.some((literal) => /^-?\d{16,}$/.test(literal) && BigInt(literal) !== BigInt(Number(literal)));
}
