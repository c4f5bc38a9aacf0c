import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { parseJson } from '../json.js';

/** An id that is longer is not echoed, UTF-16 units. */
const ID_LIMIT = 1000;
/** A whole number beyond 2^53, up to what 64 bits hold: JSON.parse would change it. */
const LONG_INTEGER = /^-?[1-9]\d{15,19}$/;

/** Why a line cannot be handed on. */
export interface Refusal {
  readonly code: number;
  /** What is wrong and what to do about it, for whoever wrote the line. */
  readonly message: string;
  /** The id to answer under as JSON text, `null` among them; undefined for what must not be answered. */
  readonly id: string | undefined;
}

export const { ParseError: PARSE_ERROR, InvalidRequest: INVALID_REQUEST } = ProtocolErrorCode;

/**
 * The JSON text that an answer has to carry for the id whose own text is `raw`: a string, a whole number up to 64 bits
 * with all its digits, or else `null` (JSON-RPC 2.0, section 5: null where the id cannot be told).
 */
export function idToEcho(raw: string | undefined): string {
  if (raw === undefined) return 'null';
  const id = parseJson(raw);
  if (typeof id === 'string' && id.length <= ID_LIMIT) return JSON.stringify(id);
  if (Number.isSafeInteger(id)) return JSON.stringify(id);
  return LONG_INTEGER.test(raw) ? raw : 'null';
}

/** The line that answers a refused one. The SDK's types know no error whose id is null, so it is put together here. */
export function refusalLine({ code, message }: Refusal, id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}\n`;
}
