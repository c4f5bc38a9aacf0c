import path from 'node:path';
import { entryOutcomes, type ToolAnswer } from './clients.js';
import { type FakeEngine, type Json, playedEngine } from './engines.js';
import { temporaryFolder, writeFile } from './files.js';

/** One entry of a batch's answer. */
export interface Entry {
  path: string;
  report: Json & { status?: string; error?: { code: string; message: string } };
  hint?: string;
}

export function entries({ value }: ToolAnswer): Entry[] {
  return value.reports as Entry[];
}

/** The error code, or else the status, of each entry. */
export const codes = ({ value }: ToolAnswer) => entryOutcomes(value);

/** Empty files under the names; a fake engine only sees their paths. */
export function emptyFiles(...names: string[]): string[] {
  const folder = temporaryFolder();
  return names.map((name) => writeFile(path.join(folder, name), ''));
}

/**
 * A `--jsonl` engine: the program `onRecord` runs for each line with the record as `record`. It answers unless that
 * program ends it.
 */
export function jsonlEngine(onRecord: string): FakeEngine {
  return playedEngine(`for (const record of records()) {\n${onRecord}\nprint(REPORT);\n}`);
}
