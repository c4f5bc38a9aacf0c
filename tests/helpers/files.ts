import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const MAIN = path.join(PROJECT, 'dist', 'main.js');
/** On Windows: the executable that starts a played engine, built before the tests run. */
export const LAUNCHER = path.join(PROJECT, '.vitest', 'launcher.exe');

export function fixture(name: string): string {
  return path.join(PROJECT, 'tests', 'fixtures', name);
}

/** A folder that is gone once the running test is over. */
export function temporaryFolder(): string {
  // By its real path: on macOS the temporary folder lies behind a link, on Windows it may have an 8.3 name.
  const folder = mkdtempSync(path.join(realpathSync.native(tmpdir()), 'deckprobe-mcp-test-'));
  // Windows removes no file that a process still has open, and the process may be ending.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

/** The variable that names the home directory. */
export const HOME = process.platform === 'win32' ? 'USERPROFILE' : 'HOME';

/** Whether this is Wine, which plays Windows on Linux and differs where a test says so. */
export const isWine = process.platform === 'win32' && existsSync('C:\\windows\\system32\\winecfg.exe');

/** Whether symbolic links can be made here: on Windows that takes a right, and Wine makes none though it says so. */
export const canLink = (() => {
  if (process.platform !== 'win32') return true;
  const folder = mkdtempSync(path.join(tmpdir(), 'deckprobe-mcp-link-'));
  try {
    symlinkSync(path.join(folder, 'target'), path.join(folder, 'link'));
    return lstatSync(path.join(folder, 'link')).isSymbolicLink();
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();

/** Writes a file, with the folders above it. */
export function writeFile(file: string, content: string | Uint8Array, mode = 0o644): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content, { mode });
  return file;
}
