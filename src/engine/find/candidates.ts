import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { searchFolders } from '../../paths/windows.js';
import type { EngineCommand } from '../types.js';
import { SDK_PACKAGE, wasmRunner } from '../wasm/index.js';
import type { FindNodeRuntime } from './node-runtime.js';
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
  if (resolvePackage(places.from, SDK_PACKAGE) !== undefined) yield await wasmCandidate(places);
}

/** Looked up from this package first, then from the launcher's, which is where pnpm and nested layouts put it. */
function findPackaged(platform: Platform, from: string): Candidate | undefined {
  const name = platformPackage(platform);
  if (name === undefined) return undefined;
  const launcher = resolvePackage(from, SDK_PACKAGE);
  for (const start of [from, launcher]) {
    const manifest = start && resolvePackage(start, name);
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
  const commands = searchFolders(env).map((folder) => path.join(folder, executableName(platform)));
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

/**
 * The real path of a package's manifest, from the folders that Node looks into from a module upwards. Not in the user's
 * home directory and NODE_PATH, where require.resolve goes on to look: either may be on a network share that is gone,
 * and this look stops the server. Yarn's Plug'n'Play has no folders, and an answer of its own.
 */
function resolvePackage(from: string, name: string): string | undefined {
  const { resolve } = createRequire(from);
  const request = `${name}/package.json`;
  const file = from.startsWith('file:') ? fileURLToPath(from) : from;
  try {
    if (process.versions.pnp !== undefined) return resolve(request);
    const folders = resolve.paths(request)?.filter((folder) => isAbove(folder, file)) ?? [];
    const manifest = folders.map((folder) => path.join(folder, request)).find((candidate) => existsSync(candidate));
    // The system's own answer spells it as it is stored, on macOS too, where a name has many spellings; on Windows it would
    // put the share in the place of a drive that stands for one.
    return manifest && (process.platform === 'win32' ? realpathSync(manifest) : realpathSync.native(manifest));
  } catch {
    return undefined;
  }
}

/** Whether a `node_modules` folder stands beside a file or a folder above it. */
function isAbove(folder: string, file: string): boolean {
  const parent = path.dirname(folder);
  return path.basename(folder) === 'node_modules' && !path.relative(parent, file).startsWith('..');
}
