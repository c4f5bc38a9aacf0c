// What holds for answers while looks at a file system that never answers hang: calls that name it end by their deadline, and
// no other call waits for its path to be checked.
import path from 'node:path';
import { GOOD } from './documents.mjs';

/** Below this a path has too little time to be judged by: looks are moved into a process that has to start, milliseconds. */
const ENOUGH_MS = 700;
/** A path of a batch has so many milliseconds, or a quarter of the call's time, however small its part is. */
const LEAST_MS = 2000;
/** A path of a batch, and a path without roots, are looked at before anything else is waited for. */
const PART_OVER = /its file system did not answer/;
const CHECK_OVER = /while waiting for the path to be checked/;

/** @returns `[name, sentence]`, or undefined. */
export function lookProblem(request, { result }, session) {
  const { looks } = session;
  if (looks.hung === 0 || result?.structuredContent === undefined) return undefined;
  const { error, reports } = result.structuredContent;
  const timeoutMs = session.settings.timeoutMs;
  const { tool, args } = request;
  if (tool === 'probe') return pathProblem(request, args?.path, error, timeoutMs, session);
  if (tool !== 'probe_batch' || !Array.isArray(reports) || !Array.isArray(args?.paths)) return undefined;
  const partMs =
    args.paths.length === 1
      ? timeoutMs
      : Math.max(timeoutMs / 2 / Math.ceil(args.paths.length / 16), Math.min(LEAST_MS, timeoutMs / 4));
  for (const [at, { report }] of reports.entries()) {
    const problem = pathProblem(request, args.paths[at], report?.error, partMs, session);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function pathProblem(request, requested, error, ms, { looks, limits, workspace, settings }) {
  const told = () =>
    `request ${request.id}, ${JSON.stringify(requested).slice(0, 200)}: ${error?.code} ${error?.message}`;
  if (looks.dead.holds(requested)) {
    const due = ['MCP_TIMEOUT', 'MCP_INVALID_ARGUMENT', ...(looks.mayFail ? ['MCP_ENGINE_FAILURE'] : [])];
    return due.includes(error?.code) ? undefined : ['dead-answered', told()];
  }
  if (looks.mayFail || ms < ENOUGH_MS || error?.code !== 'MCP_TIMEOUT') return undefined;
  // Under roots one that waited for a slot is checked anew, which may be right before the deadline.
  const heldUp = PART_OVER.test(error.message) || (!settings.roots && CHECK_OVER.test(error.message));
  if (!heldUp) return undefined;
  // Other paths may lead outside of the roots: then a root that does not answer is waited for.
  const isGood = GOOD.some((name) => requested === path.join(workspace.documents.folder, name));
  return isGood && limits.isUndisturbed(request) ? ['held-up', told()] : undefined;
}
