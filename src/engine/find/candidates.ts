import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { EngineCommand } from '../types.js';
import { SDK_PACKAGE, wasmRunner } from '../wasm/index.js';
import { executableName, type Platform, packagedBinary, platformPackage } from './platform.js';

/** A place where an engine may be; whether it is one shows when it is asked for its version. */
export type Candidate = Pick<EngineCommand, 'kind' | 'command' | 'prefix'>;

/**
 * Where an engine may be, in the order of preference: the platform package, the first `deckprobe` on PATH, and the
 * WebAssembly engine.
 * @param from file URL of the module from whose place packages are looked up.
 */
export async function findCandidates(platform: Platform, from: string, env: NodeJS.ProcessEnv): Promise<Candidate[]> {
  const found = [findPackaged(platform, from), await findOnPath(platform, env), findWasm(from)];
  return found.flatMap((candidate) => candidate ?? []);
}

/** Looked up from this package first, then from the launcher's, which is where pnpm and nested layouts put it. */
function findPackaged(platform: Platform, from: string): Candidate | undefined {
  const name = platformPackage(platform);
  if (name === undefined) return undefined;
  const launcher = resolvePackage(from, `${SDK_PACKAGE}/package.json`);
  for (const start of [from, launcher]) {
    const manifest = start && resolvePackage(start, `${name}/package.json`);
    if (manifest) {
      const command = path.join(path.dirname(manifest), packagedBinary(platform.platform));
      return { kind: 'package', command, prefix: [] };
    }
  }
  return undefined;
}

/** Absolute entries only: what a relative one names changes with the working directory. */
async function findOnPath({ platform }: Platform, env: NodeJS.ProcessEnv): Promise<Candidate | undefined> {
  for (const folder of (env.PATH ?? '').split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const command = path.join(folder, executableName(platform));
    if (await isExecutable(command)) return { kind: 'path', command, prefix: [] };
  }
  return undefined;
}

/** The same engine in WebAssembly, in a Node process behind the native engine's command line. */
function findWasm(from: string): Candidate | undefined {
  if (resolvePackage(from, `${SDK_PACKAGE}/package.json`) === undefined) return undefined;
  return { kind: 'wasm', command: process.execPath, prefix: [wasmRunner()] };
}

function resolvePackage(from: string, request: string): string | undefined {
  try {
    return createRequire(from).resolve(request);
  } catch {
    return undefined;
  }
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
