import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Outcome } from '../engine/types.js';
import { failed, outputLimit, RESULT_LIMIT, toEnvelope } from '../errors.js';
import { type HintContext, type HintedError, hintFor } from '../hints.js';
import { renderText } from './text.js';

/** Kept free for what the protocol adds to a result: the message's own fields, `_meta`, `resultType`. */
export const RESULT_RESERVE = 1000;

/** What a result is made with, besides the outcome. */
export interface ResultContext extends HintContext {
  /** The engine's version, for envelopes of our own. */
  readonly toolVersion: string | undefined;
}

/** One rendered outcome: the value, the engine's text of it, and the hint where it is an error. */
export interface Rendered {
  readonly value: Record<string, unknown>;
  readonly text: string;
  readonly hint: string | undefined;
}

/** Puts an outcome into the form that callers see; an engine's error envelope gets the hint of its code. */
export function render(outcome: Outcome, context: ResultContext): Rendered {
  if (outcome.kind === 'failure') {
    const { failure } = outcome;
    const value = toEnvelope(failure, context.toolVersion, context.path);
    return { value, text: JSON.stringify(value), hint: failure.hint ?? hintFor(value.error, context) };
  }
  const { value, text } = outcome;
  return { value, text, hint: value.status === 'error' ? hintFor(readError(value.error), context) : undefined };
}

/** The tool result of one outcome. An answer that would be too large becomes `MCP_OUTPUT_LIMIT`. */
export function toToolResult(outcome: Outcome, context: ResultContext): CallToolResult {
  return limitResult(toResult(render(outcome, context)), context);
}

/**
 * A result as it is or, where it would be too large to send, `MCP_OUTPUT_LIMIT` in its place.
 * @throws TypeError or RangeError for one that cannot be serialized: sent, it would be lost without an answer.
 */
function limitResult(result: CallToolResult, context: ResultContext): CallToolResult {
  const size = Buffer.byteLength(JSON.stringify(result));
  if (size <= RESULT_LIMIT - RESULT_RESERVE) return result;
  return toResult(render(failed(outputLimit(size)), context));
}

/** Some hosts hand on the text alone, some the structured content alone: the hint stands in both. */
function toResult({ value, text, hint }: Rendered): CallToolResult {
  const json = renderText(value, text);
  if (hint === undefined) return { content: [{ type: 'text', text: json }], structuredContent: value };
  const content = [{ type: 'text' as const, text: `${json}\nHint: ${hint}` }];
  return { content, structuredContent: { ...value, hint }, isError: true };
}

/** The error of an engine's envelope, whatever its shape. Not by String(), which an object can make throw. */
export function readError(error: unknown): HintedError {
  const { code, message, exit_code } = Object(error) as Partial<Record<keyof HintedError, unknown>>;
  const text = (value: unknown) => (typeof value === 'string' ? value : `${JSON.stringify(value)}`);
  return {
    code: text(code),
    message: text(message),
    exit_code: typeof exit_code === 'number' ? exit_code : Number.NaN,
  };
}
