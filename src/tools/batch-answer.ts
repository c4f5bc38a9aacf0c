import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Outcome } from '../engine/types.js';
import { clip, failed, PATH_LIMIT } from '../errors.js';
import { limitResult, outputLimit, RESULT_LIMIT, RESULT_RESERVE, type ResultContext, render } from './result.js';
import { renderText } from './text.js';

/** A size with as many digits as an answer's can have. */
const ANY_SIZE = 999_999_999;

interface Entry {
  readonly value: Record<string, unknown>;
  /** The entry as JSON text, the report in the engine's own words. */
  readonly text: string;
  /** Bytes it takes in a result: as structured content and, inside JSON, as text. */
  readonly cost: number;
}

/**
 * Gathers the entries of a batch in order and keeps the whole within what a tool result may take: an entry that does
 * not fit is replaced by an error of its own, with room kept for the replacements of all that follow. A replaced
 * report is let go at once, so memory stays bounded too.
 */
export class BatchAnswer {
  readonly #paths: readonly string[];
  readonly #context: ResultContext;
  readonly #entries: Entry[] = [];
  readonly #replacementCost: number;
  #room: number;

  constructor(paths: readonly string[], context: ResultContext) {
    this.#paths = paths;
    this.#context = context;
    this.#replacementCost = this.#replacement('', ANY_SIZE).cost;
    const reserved = paths.reduce((sum, path) => sum + this.#reserveFor(path), 0);
    this.#room = RESULT_LIMIT - RESULT_RESERVE - reserved;
  }

  /** Adds the outcome of the next path. */
  add(outcome: Outcome): void {
    const path = this.#paths[this.#entries.length] ?? '';
    const entry = this.#entry(path, outcome);
    const room = this.#room + this.#reserveFor(path);
    const kept = entry.cost <= room ? entry : this.#replacement(path, entry.cost);
    this.#room = room - kept.cost;
    this.#entries.push(kept);
  }

  toResult(): CallToolResult {
    const structuredContent = { reports: this.#entries.map(({ value }) => value) };
    const compact = `{"reports":[${this.#entries.map(({ text }) => text).join(',')}]}`;
    const text = renderText(structuredContent, compact);
    return limitResult({ content: [{ type: 'text', text }], structuredContent }, this.#context);
  }

  /** What an entry's replacement takes at the most: that of an empty path, and the path twice. */
  #reserveFor(path: string): number {
    return this.#replacementCost + 2 * costOf(JSON.stringify(clip(path, PATH_LIMIT)));
  }

  #replacement(path: string, size: number): Entry {
    return this.#entry(path, failed(outputLimit(size)));
  }

  #entry(requested: string, outcome: Outcome): Entry {
    const { value: report, text: reportText, hint } = render(outcome, { ...this.#context, path: requested });
    const path = clip(requested, PATH_LIMIT);
    const advice = hint === undefined ? '' : `,"hint":${JSON.stringify(hint)}`;
    const text = `{"path":${JSON.stringify(path)},"report":${reportText}${advice}}`;
    return { value: { path, report, ...(hint !== undefined && { hint }) }, text, cost: costOf(text) };
  }
}

/** What JSON text takes as structured content and, escaped once more, as a text block; with its two commas. */
function costOf(text: string): number {
  let escapes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22 || unit === 0x5c) escapes += 1;
  }
  return 2 * Buffer.byteLength(text) + escapes + 2;
}
