/** Whether a value is an object in JSON's sense. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text, or undefined for a text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The deepest that a JSON text may nest. V8 parses any depth, but to write or to walk what it parsed takes a frame of
 * the stack a level. The engine's answers nest four levels, its schema ten.
 */
export const MAX_DEPTH = 64;

/** What can be told of a JSON text without parsing it. */
export interface JsonShape {
  /** Brackets and braces that are open at once, at the most. */
  readonly depth: number;
  /** Commas between values, on all levels together. */
  readonly commas: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Measures a JSON text, in one pass and without recursion; of a text that is none, it says something harmless. */
export function measureJson(text: string): JsonShape {
  let open = 0;
  let depth = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === COMMA) commas += 1;
    else if (unit === 0x5b || unit === 0x7b) {
      open += 1;
      if (open > depth) depth = open;
    } else if (unit === 0x5d || unit === 0x7d) open -= 1;
  }
  return { depth, commas };
}

/** Where the string that begins at `start` ends. Most hold no escapes, and for those the search is the runtime's own. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (end === -1) return text.length;
  if (text.charCodeAt(end - 1) !== BACKSLASH) return end;
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at += 1;
  }
  return text.length;
}

/** Bytes that a JSON text takes inside a JSON string, where its quotes, backslashes and white space are escaped. */
export function escapedBytes(text: string): number {
  let escapes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE || unit === BACKSLASH || unit < 0x20) escapes += 1;
  }
  return Buffer.byteLength(text) + escapes;
}
