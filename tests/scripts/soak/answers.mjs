// What holds for every line that the server prints, whatever was asked. Each check gives `[name, sentence]`, or undefined.
import { isDeepStrictEqual } from 'node:util';
import { SECRET_SIZE } from './documents.mjs';

/** The most bytes that a tool result may take. */
const LINE_LIMIT = 1_000_000;
/** Larger texts are not parsed a second time. */
const COMPARED = 100_000;
/** Echoed paths are clipped from here on. */
const UNCLIPPED = 500;
const ERROR_CODES = new Set([-32700, -32600, -32601, -32602, -32002, -32004, -32022]);

/** A line of stdout: JSON-RPC and nothing else. @returns `{ message }` or `{ wrong }`. */
export function readLine(line) {
  const shown = () => JSON.stringify(line.subarray(0, 200).toString('utf8'));
  if (line.length > LINE_LIMIT) return { wrong: ['too-large', `a line of ${line.length} bytes: ${shown()}`] };
  let message;
  try {
    message = JSON.parse(line.toString('utf8'));
  } catch {
    return { wrong: ['impure', `a line of stdout that is no JSON: ${shown()}`] };
  }
  const { jsonrpc, method, result, error } = Object(message);
  const parts = [method, result, error].filter((part) => part !== undefined).length;
  if (jsonrpc !== '2.0' || parts !== 1) return { wrong: ['impure', `a line that is no JSON-RPC message: ${shown()}`] };
  return { message };
}

/** A line of stderr: what the operator is told is one line, and no stack trace. */
export function complaintProblem(line) {
  if (/^\s+at .+:\d+:\d+\)?$/.test(line)) return ['stack-trace', `a stack trace on stderr: ${line.trim()}`];
  if (/^\(node:\d+\)/.test(line)) return ['warning', `a warning of Node.js on stderr: ${line}`];
  return undefined;
}

/**
 * The answer to a request.
 * @param situation `roots` are set; `engineMissing`: the engine cannot be found just now, or could not a moment ago.
 */
export function answerProblem(request, message, situation) {
  if (message.error !== undefined) return protocolErrorProblem(request, message.error);
  if (request.refused) return ['not-refused', `request ${request.id} is no valid request, but has a result`];
  if (request.method !== 'tools/call') return undefined;
  return resultProblem(request, message.result, situation);
}

function protocolErrorProblem({ id, method, refused }, { code, message, data }) {
  if (refused) return code === -32600 || code === -32602 ? undefined : ['wrong-refusal', `${id}: ${code} ${message}`];
  // A resource has no other form for an error than this.
  if (method === 'resources/read' && data?.error?.code !== undefined) return undefined;
  // What is not ours to answer is the SDK's.
  if (method === 'tools/call' && !ERROR_CODES.has(code))
    return ['internal-error', `request ${id}, ${method}: ${code} ${message}`];
  return undefined;
}

function resultProblem({ id, tool, args }, result, situation) {
  const { content, structuredContent, isError } = Object(result);
  const [block] = content ?? [];
  if (content?.length !== 1 || block.type !== 'text' || Object(structuredContent) !== structuredContent)
    return ['malformed-result', `request ${id}: ${JSON.stringify(result).slice(0, 300)}`];
  const { text } = block;
  const [, json, hint] = /^([\s\S]*)\nHint: (.*)$/.exec(text) ?? [undefined, text, undefined];
  const code = structuredContent.error?.code;
  if (isError && (hint ?? structuredContent.hint) !== (structuredContent.hint ?? hint))
    return ['two-hints', `request ${id}: the hints of text and structured content differ`];
  if (isError && hint === undefined) return ['no-hint', `request ${id}: an error ${code} without a hint`];
  if (isError && code === 'MCP_ENGINE_NOT_FOUND' && !situation.engineMissing)
    return ['engine-lost', `request ${id}: ${structuredContent.error.message}`];
  if (situation.roots && text.includes(String(SECRET_SIZE)))
    return ['leak', `request ${id} was told of the document outside of the roots`];
  if (tool === 'probe_batch') {
    const problem = batchProblem(id, args, structuredContent, isError);
    if (problem !== undefined) return problem;
  }
  if (text.length > COMPARED) return undefined;
  const { hint: _, ...envelope } = structuredContent;
  if (!isDeepStrictEqual(parsed(json), isError ? envelope : structuredContent))
    return ['two-answers', `request ${id}: text and structured content differ: ${text.slice(0, 200)}`];
  return undefined;
}

/** Every path keeps an entry, in order. */
function batchProblem(id, args, { reports, error }, isError) {
  if (isError && error?.code === 'MCP_OUTPUT_LIMIT') return ['batch-lost', `batch ${id}: ${error.message}`];
  const paths = args?.paths;
  if (isError || !Array.isArray(paths)) return undefined;
  if (reports?.length !== paths.length)
    return ['entries-lost', `batch ${id} of ${paths.length} paths has ${reports?.length} entries`];
  const strange = reports.findIndex(
    ({ path, report }, at) => report === undefined || (paths[at].length < UNCLIPPED && !sameText(path, paths[at])),
  );
  if (strange === -1) return undefined;
  return ['wrong-entry', `batch ${id}: entry ${strange} is ${JSON.stringify(reports[strange]).slice(0, 200)}`];
}

/** Equal but for lone surrogates, which do not survive the wire. */
function sameText(one, other) {
  return one === other || one === Buffer.from(other).toString('utf8') || /[\ud800-\udfff]/.test(other);
}

function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
