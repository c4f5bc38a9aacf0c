import { clip, type Failure, failed, outputLimit, RESULT_LIMIT } from '../../errors.js';
import { escapedBytes, isObject, MAX_DEPTH, measureJson, parseJson } from '../../json.js';
import { type OutputTrouble, stopFailure, timeoutFailure } from '../call.js';
import { type ChildEnd, passingTrouble } from '../run/index.js';
import type { Outcome } from '../types.js';
import { describeExitStatus, describeSignal } from './exit-status.js';
import { explainSpawnError } from './start-error.js';

/** The highest exit status that the engine gives by itself; beyond it (101, say) it has crashed. */
const LAST_EXIT_STATUS = 6;
/**
 * A text longer than this is not parsed, UTF-16 units: no answer of so many fits into a result, and valid JSON of many small
 * values takes dozens of times its size in memory.
 */
const PARSE_LIMIT = RESULT_LIMIT;

/**
 * One JSON object of the engine's, or what is wrong with the text: it is none, or nests deeper than can be sent on. One
 * that is far too large to be sent is not parsed: millions of small values take seconds and hundreds of megabytes.
 */
export function parseAnswer(text: string): Outcome | (OutputTrouble & ('junk' | 'deep')) {
  if (measureJson(text).depth > MAX_DEPTH) return 'deep';
  if (text.length > PARSE_LIMIT && text.trimStart().startsWith('{') && text.trimEnd().endsWith('}'))
    return failed(outputLimit(Buffer.byteLength(text) + escapedBytes(text)));
  const value = parseJson(text);
  return isObject(value) ? { kind: 'answer', value, text: text.trim() } : 'junk';
}

/** What a finished single-shot process amounts to. */
export function readOutcome(stdout: string, end: ChildEnd, timeoutMs: number): Outcome {
  const failure = endFailure(end, timeoutMs);
  if (failure !== undefined) return failed(failure);
  const answer = parseAnswer(stdout);
  return typeof answer === 'string' ? failed(badOutputFailure(answer, stdout, end)) : answer;
}

/** The failure in the way a process ended, or undefined when it ended as the engine does. */
export function endFailure(end: ChildEnd, timeoutMs: number): Failure | undefined {
  if (end.stop === 'fault')
    return engineFailure(`${stopFailure('fault').message}: ${clip(String(end.fault?.message))}`);
  if (end.stop === 'deadline') return timeoutFailure(timeoutMs, 'running the engine');
  if (end.stop !== undefined) return stopFailure(end.stop);
  return spawnFailure(end) ?? crashFailure(end);
}

/** Why a process could not be started, in words that tell what to do about it. */
export function spawnFailure({ spawnError }: ChildEnd): Failure | undefined {
  if (spawnError === undefined) return undefined;
  const { code, message, path } = spawnError;
  if (code === 'E2BIG' || code === 'ENAMETOOLONG')
    return {
      code: 'MCP_INVALID_ARGUMENT',
      message: `the arguments are longer than the operating system takes (${code})`,
      hint: 'Name fewer or shorter targets.',
    };
  const passing = passingTrouble(spawnError);
  if (passing !== undefined)
    return {
      ...engineFailure(`the engine could not be started for the moment (tried twice): ${passing}`),
      hint: 'Call again in a few seconds: the machine is short of something for the moment, and the engine is not at fault.',
    };
  return engineFailure(`the engine could not be started: ${explainSpawnError(code, path ?? '') ?? message}`);
}

/** The failure of a process that ended by a signal or with a status that the engine does not give. */
export function crashFailure(end: ChildEnd): Failure | undefined {
  if (end.signal !== null) return engineFailure(`the engine was ended by ${describeSignal(end.signal)}`, end);
  if (end.code !== null && end.code <= LAST_EXIT_STATUS) return undefined;
  return engineFailure(`the engine crashed with ${describeExitStatus(end.code)}`, end);
}

function badOutputFailure(trouble: 'junk' | 'deep', stdout: string, end: ChildEnd): Failure {
  const bytes = `${Buffer.byteLength(stdout)} bytes`;
  const junk = stdout.trim() === '' ? 'no output' : `${bytes} that are not one JSON object`;
  const what = trouble === 'deep' ? `${bytes} of JSON that nests deeper than ${MAX_DEPTH} levels` : junk;
  return engineFailure(`the engine ended with exit status ${end.code} and printed ${what}`, end);
}

/** An `MCP_ENGINE_FAILURE` that carries the end of the child's stderr, where it wrote any. */
export function engineFailure(message: string, end?: Pick<ChildEnd, 'stderr'>): Failure {
  return { code: 'MCP_ENGINE_FAILURE', message: end?.stderr ? `${message}; stderr: ${end.stderr}` : message };
}
