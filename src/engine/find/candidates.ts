import { createRequire } from 'node:module';
import path from 'node:path';
import { searchFolders } from '../../paths/windows.js';
import type { EngineCommand } from '../types.js';
import { SDK_PACKAGE, wasmRunner } from '../wasm/index.js';
import { executableName, type Platform, packagedBinary, platformPackage } from './platform.js';

/** A place where an engine may be; whether it is one shows when it is asked for its version. */
export type Candidate = Pick<EngineCommand, 'kind' | 'command' | 'prefix'>;

/** What the look for candidates needs. */
export interface CandidatePlaces {
  /** File URL of the module from whose place packages are looked up. */
  readonly from: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether an executable file is there. */
  readonly isThere: (file: string) => Promise<boolean>;
}

/**
 * Where an engine may be, in the order of preference: the platform package, each `deckprobe` on PATH, and the
 * WebAssembly engine. Each is looked for only when those before it were not taken.
 */
export async function* findCandidates(platform: Platform, places: CandidatePlaces): AsyncGenerator<Candidate> {
  const packaged = findPackaged(platform, places.from);
  if (packaged !== undefined) yield packaged;
  yield* await findOnPath(platform, places);
  const wasm = findWasm(places.from);
  if (wasm !== undefined) yield wasm;
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

/**
 * All entries are looked at at once, since one that lies on a dead network share takes its time.
 */
async function findOnPath({ platform }: Platform, { env, isThere }: CandidatePlaces): Promise<Candidate[]> {
  const commands = searchFolders(pathVariable(env) ?? '').map((folder) => path.join(folder, executableName(platform)));
  const there = await Promise.all(commands.map(isThere));
  return commands.filter((_, index) => there[index]).map((command) => ({ kind: 'path', command, prefix: [] }));
}

/** Windows writes it Path. An environment that is a copy of the process's own finds it in no other letter case. */
function pathVariable(env: NodeJS.ProcessEnv): string | undefined {
  if (env.PATH !== undefined || process.platform !== 'win32') return env.PATH;
  return Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
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
