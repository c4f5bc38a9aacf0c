import { createRequire } from 'node:module';
import path from 'node:path';
import type { FindNodeRuntime } from '../run/index.js';
import type { EngineCommand } from '../types.js';
import { SDK_PACKAGE, wasmRunner } from '../wasm/index.js';
import { executableName, type Platform, packagedBinary, platformPackage } from './platform.js';

/** A place where an engine may be; whether it is one shows when it is asked for its version. */
export type Candidate = Pick<EngineCommand, 'kind' | 'command' | 'prefix' | 'env'>;

/** A place where an engine is of which it is known already that it cannot be started. */
export type Hopeless = { readonly place: string; readonly problem: string };

/** What the look for candidates needs. */
export interface CandidatePlaces {
  /** File URL of the module from whose place packages are looked up. */
  readonly from: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether an executable file is there. */
  readonly isThere: (file: string) => Promise<boolean>;
  /** How a program for Node.js is started, or why none can be. */
  readonly nodeRuntime: FindNodeRuntime;
}

/**
 * Where an engine may be, in the order of preference: the platform package, each `deckprobe` on PATH, and the
 * WebAssembly engine. Each is looked for only when those before it were not taken.
 */
export async function* findCandidates(
  platform: Platform,
  places: CandidatePlaces,
): AsyncGenerator<Candidate | Hopeless> {
  const packaged = findPackaged(platform, places.from);
  if (packaged !== undefined) yield packaged;
  yield* await findOnPath(platform, places);
  if (resolvePackage(places.from, `${SDK_PACKAGE}/package.json`) !== undefined) yield await wasmCandidate(places);
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
 * Absolute entries only: what a relative one names changes with the working directory. All are looked at at once, since
 * one that lies on a dead network share takes its time.
 */
async function findOnPath({ platform }: Platform, { env, isThere }: CandidatePlaces): Promise<Candidate[]> {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const commands = folders.map((folder) => path.join(folder, executableName(platform)));
  const there = await Promise.all(commands.map(isThere));
  return commands.filter((_, index) => there[index]).map((command) => ({ kind: 'path', command, prefix: [] }));
}

/** The same engine in WebAssembly, in a Node process behind the native engine's command line. */
async function wasmCandidate({ nodeRuntime }: CandidatePlaces): Promise<Candidate | Hopeless> {
  const runtime = await nodeRuntime();
  const runner = wasmRunner();
  if ('problem' in runtime) return { place: runner, problem: runtime.problem };
  return { kind: 'wasm', prefix: [runner], ...runtime };
}

function resolvePackage(from: string, request: string): string | undefined {
  try {
    return createRequire(from).resolve(request);
  } catch {
    return undefined;
  }
}
