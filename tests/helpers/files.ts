import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const MAIN = path.join(PROJECT, 'dist', 'main.js');

export function fixture(name: string): string {
  return path.join(PROJECT, 'tests', 'fixtures', name);
}

/** A folder that is gone once the running test is over. */
export function temporaryFolder(): string {
  // By its real path: on macOS the temporary folder lies behind a link.
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'deckprobe-mcp-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a file, with the folders above it. */
export function writeFile(file: string, content: string | Uint8Array, mode = 0o644): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content, { mode });
  return file;
}
