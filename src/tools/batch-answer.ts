import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Outcome } from '../engine/types.js';
import { clip, failed, outputLimit, PATH_LIMIT, RESULT_LIMIT, toEnvelope } from '../errors.js';
import type { HintedError } from '../hints.js';
import { clipToCost, costOf, stringCost } from './cost.js';
import { RESULT_RESERVE, type ResultContext, readError, render } from './result.js';
import { losesDigits } from './text.js';

const EMPTY = { content: [{ type: 'text', text: '{"reports":[]}' }], structuredContent: { reports: [] } };
/** What all entries together may take. */
const ROOM = RESULT_LIMIT - RESULT_RESERVE - Buffer.byteLength(JSON.stringify(EMPTY));
/** How much of it the echoed paths may take: half. They are shortened to the first of these steps that keeps to that. */
const PATH_ROOM = ROOM / 2;
const PATH_STEPS = [Number.POSITIVE_INFINITY, 8192, 4096, 2048, 1024, 512, 256];
/** What the strings of a shortened error may take, and the least that is left of a path. */
const BRIEF_MESSAGE = 1024;
const LEAST_MESSAGE = 100;
const LEAST_VERSION = 64;
const LEAST_PATH = 16;
/** What a code has to look like to be kept in a shortened error. All that are known do; an engine may print any. */
const CODE_LENGTH = 24;
const KNOWN_CODE = new RegExp(`^\\w{1,${CODE_LENGTH}}$`);
const EXIT_CODES: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6]);

interface Entry {
  readonly value: Record<string, unknown>;
  /** The entry as JSON text, the report in the engine's own words where parsing has lost digits. */
  readonly text: string;
  readonly cost: number;
}

/**
 * Gathers the entries of a batch in order and keeps the whole within what a tool result may take, with an entry for
 * every path. An entry that does not fit is shortened in steps: a report becomes `MCP_OUTPUT_LIMIT`; an error loses its
 * hint and the end of its message, never its code. Room for the shortest form of all that follow is kept free, which
 * for 1,000 paths, however they are written, there is. What is replaced is let go at once, so memory stays bounded too.
 */
export class BatchAnswer {
  readonly #paths: readonly string[];
  readonly #context: ResultContext;
  readonly #entries: Entry[] = [];
  readonly #pathLimit: number;
  readonly #leastPath: number;
  /** What the shortest form takes, without its path. */
  readonly #frame: number;
  #room: number;

  constructor(paths: readonly string[], context: ResultContext) {
    this.#paths = paths;
    this.#context = context;
    const widest = { code: 'X'.repeat(CODE_LENGTH), message: '', exit_code: 1 };
    this.#frame = this.#short('', 'v'.repeat(LEAST_VERSION), widest, 0).cost + LEAST_MESSAGE;
    this.#leastPath = Math.max(Math.floor(ROOM / paths.length) - this.#frame, LEAST_PATH);
    this.#pathLimit = pathLimit(paths) ?? this.#leastPath;
    this.#room = ROOM - paths.reduce((sum, path) => sum + this.#leastCost(path), 0);
  }

  /** Adds the outcome of the next path. `about` is what a hint may lean on besides. */
  add(outcome: Outcome, about: Pick<ResultContext, 'size'> = {}): void {
    const requested = this.#paths[this.#entries.length] ?? '';
    const room = this.#room + this.#leastCost(requested);
    const kept = this.#fit(requested, outcome, room, about);
    this.#room = room - kept.cost;
    this.#entries.push(kept);
  }

  toResult(): CallToolResult {
    const structuredContent = { reports: this.#entries.map(({ value }) => value) };
    // Each entry's text is what JSON.stringify makes of it, or the engine's own; to make it once more takes as long again.
    const text = `{"reports":[${this.#entries.map((entry) => entry.text).join(',')}]}`;
    return { content: [{ type: 'text', text }], structuredContent };
  }

  /** The longest form of an entry that fits into `room`; the shortest does. */
  #fit(requested: string, outcome: Outcome, room: number, about: Pick<ResultContext, 'size'>): Entry {
    const whole = this.#whole(requested, outcome, about);
    if (whole.cost <= room) return whole;
    const isError = outcome.kind === 'failure' || outcome.value.status === 'error';
    const error = isError ? outcome : failed(outputLimit(whole.cost));
    const replaced = isError ? whole : this.#whole(requested, error);
    if (replaced.cost <= room) return replaced;
    const { value } = render(error, this.#context);
    const version = this.#context.toolVersion ?? 'unknown';
    const path = this.#shown(requested);
    const brief = this.#short(path, version, readError(value.error), BRIEF_MESSAGE);
    if (brief.cost <= room) return brief;
    return this.#short(clipToCost(path, this.#leastPath), version, readError(value.error), LEAST_MESSAGE);
  }

  /** A path as it is echoed. */
  #shown(requested: string): string {
    return clipToCost(clip(requested, PATH_LIMIT), this.#pathLimit);
  }

  #whole(requested: string, outcome: Outcome, about: Pick<ResultContext, 'size'> = {}): Entry {
    const { value: report, text, hint } = render(outcome, { ...this.#context, ...about, path: requested });
    const path = this.#shown(requested);
    return toEntry({ path, report, ...(hint !== undefined && { hint }) }, text);
  }

  /** An error without a hint and without its path, which stands beside it. */
  #short(path: string, version: string, { code, message, exit_code }: HintedError, messageCost: number): Entry {
    const envelope = toEnvelope(outputLimit(0), clipToCost(version, LEAST_VERSION));
    const kind = KNOWN_CODE.test(code) && EXIT_CODES.has(exit_code) ? { code, exit_code } : envelope.error;
    const error = { code: kind.code, message: clipToCost(message, messageCost), exit_code: kind.exit_code };
    return toEntry({ path, report: { ...envelope, error } });
  }

  /** What the shortest form of an entry takes at the most. */
  #leastCost(requested: string): number {
    return this.#frame + Math.min(pathCost(requested), this.#pathLimit, this.#leastPath);
  }
}

/** What the echoed paths may take each, so that together they keep to their room; undefined where no step does that. */
function pathLimit(paths: readonly string[]): number | undefined {
  const costs = paths.map(pathCost);
  return PATH_STEPS.find((limit) => costs.reduce((sum, cost) => sum + Math.min(cost, limit), 0) <= PATH_ROOM);
}

function pathCost(requested: string): number {
  return stringCost(clip(requested, PATH_LIMIT));
}

/** @param reportText the engine's own text of the report. */
function toEntry(value: Entry['value'], reportText?: string): Entry {
  const structured = JSON.stringify(value);
  if (reportText === undefined || !losesDigits(reportText))
    return { value, text: structured, cost: costOf(structured, structured) };
  const { path, hint } = value;
  const advice = hint === undefined ? '' : `,"hint":${JSON.stringify(hint)}`;
  const text = `{"path":${JSON.stringify(path)},"report":${reportText}${advice}}`;
  return { value, text, cost: costOf(structured, text) };
}
