// Builds the launcher (launcher.c) that tests on Windows play engines with: once before they run, where it is missing.
// A compiler that makes Windows programs is needed: MinGW's gcc, which is on the PATH of GitHub's runners and comes with
// MSYS2. Under Wine the machine's own compiler does.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('launcher.c', import.meta.url));
const LAUNCHER = fileURLToPath(new URL('../../../.vitest/launcher.exe', import.meta.url));
const CROSS_COMPILER = 'x86_64-w64-mingw32-gcc';
const MOST_MS = 60_000;

/** The arguments of gcc. */
function compilation(source, output) {
  return ['-O1', '-s', '-static', '-municode', '-o', output, source];
}

/** Undefined where it was built, else why not. */
function compile(compiler) {
  const { status, error, stderr } = spawnSync(compiler, compilation(SOURCE, LAUNCHER), { encoding: 'utf8' });
  if (status === 0) return undefined;
  return error === undefined ? `${compiler} failed: ${stderr.trim()}` : `there is no ${compiler} on PATH`;
}

/** {@link compile} by the Linux compiler: Wine starts it, but tells neither its end nor what it prints. */
function compileUnderWine() {
  const toUnix = (file) => spawnSync('winepath.exe', ['-u', file], { encoding: 'utf8' }).stdout.trim();
  const folder = path.dirname(LAUNCHER);
  const output = `${toUnix(folder)}/launcher.new`;
  const command = `'${CROSS_COMPILER}' "$@" 2>'${toUnix(folder)}/launcher.err' && mv '${output}' '${output}.exe'`;
  spawnSync('start.exe', ['/unix', '/bin/sh', '-c', command, 'sh', ...compilation(toUnix(SOURCE), output)]);
  const built = path.join(folder, 'launcher.new.exe');
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  for (const start = Date.now(); !existsSync(built) && Date.now() - start < MOST_MS; ) Atomics.wait(waiting, 0, 0, 50);
  if (!existsSync(built)) return `${CROSS_COMPILER} of this machine made nothing, see .vitest/launcher.err`;
  rmSync(path.join(folder, 'launcher.err'), { force: true });
  renameSync(built, LAUNCHER);
  return undefined;
}

/** The ways to build it, best first. */
function attempts() {
  const wine = existsSync(path.join(process.env.SYSTEMROOT ?? '', 'system32', 'winepath.exe'));
  return [() => compile('gcc'), () => compile(CROSS_COMPILER), ...(wine ? [compileUnderWine] : [])];
}

/** Called by vitest before all tests. Throws, with what to do, where no compiler makes the launcher. */
export default function setup() {
  if (process.platform !== 'win32' || existsSync(LAUNCHER)) return;
  mkdirSync(path.dirname(LAUNCHER), { recursive: true });
  const complaints = [];
  for (const attempt of attempts()) {
    const complaint = attempt();
    if (complaint === undefined) return;
    complaints.push(complaint);
  }
  throw new Error(
    `the tests on Windows need MinGW's gcc, which makes tests/scripts/windows/launcher.c; install it and put its folder on PATH (${complaints.join('; ')})`,
  );
}
