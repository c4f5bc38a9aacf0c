import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { type Call, type Engine, stoppedCall, unlessAborted } from '../engine.js';
import { type Failure, failed, reasonOf } from '../errors.js';
import { type CheckedPath, checkPath, realRootsOf } from '../paths.js';
import type { Parsed } from '../schemas.js';
import { toToolResult } from './result.js';

/** Every tool reads, and reaches nothing outside this machine. */
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
  if ('failure' in input) return refuse(input.failure, input.path);
  const call = engine.startCall(context.mcpReq.signal);
  try {
    return await work(input.args, call);
  } catch (error) {
    return refuse({ code: 'MCP_ENGINE_FAILURE', message: `the server failed: ${reasonOf(error)}` });
  } finally {
    call.end();
  }
}

/** {@link checkPath} within a call's deadline: a path on a dead network share does not answer by itself. */
export async function checkPathFor(
  call: Call,
  requested: string,
  roots: readonly string[] | undefined,
): Promise<CheckedPath> {
  return (await unlessAborted(checkPath(requested, roots), call.signal)) ?? unchecked(call);
}

/** {@link checkPathFor} for many paths at once; those that are not through in time share the call's failure. */
export async function checkPathsFor(
  call: Call,
  requested: readonly string[],
  roots: readonly string[] | undefined,
): Promise<CheckedPath[]> {
  const checked: (CheckedPath | undefined)[] = requested.map(() => undefined);
  const realRoots = roots && realRootsOf(roots);
  const check = async (path: string, index: number) => {
    checked[index] = await checkPath(path, roots, realRoots);
  };
  await unlessAborted(Promise.all(requested.map(check)), call.signal);
  return checked.map((each) => each ?? unchecked(call));
}

function unchecked(call: Call): CheckedPath {
  return { failure: stoppedCall(call, 'waiting for the path to be checked') };
}
