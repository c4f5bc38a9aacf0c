import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { CheckedInput } from '../engine/types.js';
import type { Call, Engine } from '../engine.js';
import { type Failure, failed, reasonOf } from '../errors.js';
import type { Parsed } from '../schemas.js';
import { toToolResult } from './result.js';

/** Every tool reads, and its world is the files that the system reaches; it opens no connection of its own. */
export const ANNOTATIONS = { readOnlyHint: true, openWorldHint: false };

/**
 * Runs one tool call under its deadline. Arguments that did not fit, and anything unforeseen, are answered in the
 * error grammar: an exception would reach the client as the SDK's free text, and a result that cannot be serialized
 * would not reach it at all. That one is found out where results are made, which is inside `work`.
 */
export async function answerCall<T>(
  engine: Engine,
  context: { readonly mcpReq: Pick<ServerContext['mcpReq'], 'signal'> },
  input: Parsed<T>,
  work: (args: T, call: Call) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const refuse = (failure: Failure, path?: string) =>
    toToolResult(failed(failure), { toolVersion: engine.version, ...(path !== undefined && { path }) });
  const call = engine.startCall(context.mcpReq.signal);
  try {
    // The engine's version stands in every answer, also in one that is refused before it was found.
    if (engine.version === undefined) await engine.versionSettled();
    if ('failure' in input) return refuse(input.failure, input.path);
    return await work(input.args, call);
  } catch (error) {
    return refuse({ code: 'MCP_ENGINE_FAILURE', message: `the server failed: ${reasonOf(error)}` });
  } finally {
    call.end();
  }
}

/** The size of a file that was checked, for the hints that lean on it. */
export function sizeOf(checked: CheckedInput | undefined): { readonly size?: number } {
  return checked !== undefined && 'input' in checked && checked.input.size !== undefined
    ? { size: checked.input.size }
    : {};
}
