import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { quote } from '../errors.js';
import { isObject } from '../json.js';
import { INVALID_REQUEST, idToEcho, PARSE_ERROR, type Refusal } from './refusal.js';
import { LineScan } from './scan.js';

/** What a line is: a message to hand on, something to refuse, or nothing. */
export type Line = { readonly message: JSONRPCMessage } | { readonly refusal: Refusal } | undefined;

const BLANK = /^[ \t\r]*$/;
const BYTE_ORDER_MARK = 0xfeff;
const MEMBERS = ['jsonrpc', 'id', 'method', 'params'];

/**
 * Reads one line. The SDK's own schema judges what a message is, so nothing that it would drop goes unanswered. Forgiven
 * beforehand is what some clients write and the schema does not know: see {@link forgive}.
 */
export function readLine(bytes: Buffer): Line {
  const decoded = bytes.toString('utf8');
  // Some shells and editors on Windows put one before the first line.
  const text = decoded.charCodeAt(0) === BYTE_ORDER_MARK ? decoded.slice(1) : decoded;
  if (BLANK.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const message = 'the line is not JSON; send one JSON-RPC message a line, in UTF-8';
    return { refusal: { code: PARSE_ERROR, message, id: 'null' } };
  }
  if (!isObject(value)) return { refusal: { code: INVALID_REQUEST, message: otherThanObject(value), id: 'null' } };
  forgive(value);
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    return { refusal: { code: INVALID_REQUEST, message: whatIsWrong(value), id: idToAnswer(value, text) } };
  }
}

/**
 * Takes out what means nothing: `params` or `_meta` that are null, a progress token that is neither text nor a whole
 * number, and an id that is null in what the method's name says is a notification.
 */
function forgive(message: Record<string, unknown>): void {
  if (message.params === null) delete message.params;
  const { method, params } = message;
  if (message.id === null && typeof method === 'string' && method.startsWith('notifications/')) delete message.id;
  if (!isObject(params)) return;
  if (params._meta === null) delete params._meta;
  const { _meta: meta } = params;
  if (!isObject(meta) || typeof meta.progressToken === 'string' || Number.isSafeInteger(meta.progressToken)) return;
  delete meta.progressToken;
}

/** The id to answer a misshapen message under, or undefined for a notification and for an answer. */
function idToAnswer(message: Record<string, unknown>, text: string): string | undefined {
  const { id, method } = message;
  if (typeof method === 'string' ? !('id' in message) : isAnswer(message)) return undefined;
  // Nothing else is made into text again: an array as an id may nest deeper than the stack.
  if (typeof id === 'string' || Number.isSafeInteger(id)) return idToEcho(JSON.stringify(id));
  if (typeof id !== 'number') return 'null';
  const scan = new LineScan();
  scan.add(Buffer.from(text));
  return idToEcho(scan.id);
}

function isAnswer(message: Record<string, unknown>): boolean {
  return !('method' in message) && ('result' in message || 'error' in message);
}

function otherThanObject(value: unknown): string {
  if (Array.isArray(value)) return 'batches of messages are not taken; send each message on a line of its own';
  return `the line is ${kindOf(value)}; send a JSON-RPC message, which is an object`;
}

/** The first thing about an object that keeps it from being a JSON-RPC message. */
function whatIsWrong(message: Record<string, unknown>): string {
  const { id, method, params } = message;
  if (message.jsonrpc !== '2.0') return 'jsonrpc has to be "2.0"';
  if (isAnswer(message)) return 'an answer needs an id, and either a result or an error with code and message';
  if (typeof method !== 'string') return `method is ${kindOf(method)}; it has to be a text, such as "tools/call"`;
  if ('id' in message && typeof id !== 'string' && !Number.isSafeInteger(id))
    return `id is ${kindOf(id)}; it has to be a text or a whole number of at most 2^53 - 1`;
  if (params !== undefined && !isObject(params)) return `params is ${kindOf(params)}; it has to be an object`;
  const unknown = Object.keys(message).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return `a request has no member ${quote(unknown, 64)}; it has ${MEMBERS.join(', ')}`;
  return 'params._meta does not have the shape that the protocol gives it';
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number that is too large' : 'a fraction';
  return { string: 'a text', boolean: 'a boolean' }[String(typeof value)] ?? 'an object';
}
