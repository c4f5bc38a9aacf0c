// Builds the launcher (launcher.c) that tests on Windows play engines with: once before they run, where it is missing.
// A compiler that makes Windows programs is needed: MinGW's gcc, which comes with Git's SDK, MSYS2 and GitHub's runners.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('launcher.c', import.meta.url));
const LAUNCHER = fileURLToPath(new URL('../../../.vitest/launcher.exe', import.meta.url));

/** Builds it with the first compiler there is; throws where none makes it. */
export function buildLauncher() {
  mkdirSync(path.dirname(LAUNCHER), { recursive: true });
  const compilers = process.platform === 'win32' ? ['gcc', 'x86_64-w64-mingw32-gcc'] : ['x86_64-w64-mingw32-gcc'];
  const complaints = compilers.map((compiler) => {
    const args = ['-O1', '-s', '-static', '-municode', '-o', LAUNCHER, SOURCE];
    const { status, error, stderr } = spawnSync(compiler, args, { encoding: 'utf8' });
    return status === 0 ? '' : `${compiler}: ${error?.message ?? stderr}`;
  });
  if (!complaints.includes(''))
    throw new Error(`no compiler made tests/scripts/windows/launcher.c: ${complaints.join('; ')}`);
}

/** Called by vitest before all tests. */
export default function setup() {
  if (process.platform === 'win32' && !existsSync(LAUNCHER)) buildLauncher();
}
