import { type Failure, quote } from '../../errors.js';
import type { FileSystem } from '../../filesystem.js';
import { isFullyQualified } from '../../paths/windows.js';
import { stopFailure } from '../call.js';
import { crashFailure, explainSpawnError, spawnFailure } from '../read/index.js';
import { type ChildEnd, type ChildRun, type ChildSpec, passingTrouble, startChildPatiently } from '../run/index.js';
import type { EngineCommand } from '../types.js';
import { SDK_PACKAGE } from '../wasm/index.js';
import { type Candidate, type CandidatePlaces, findCandidates } from './candidates.js';
import { inspect } from './executable.js';
import type { EnginePermission } from './permission.js';
import { currentPlatform, describePlatform, type Platform, platformPackage } from './platform.js';

/** How long a candidate may take to answer `--version`, milliseconds. */
const VERSION_TIMEOUT_MS = 5000;
const NOT_ABSOLUTE =
  process.platform === 'win32' ? 'the path is not absolute, with a drive or a share' : 'the path is not absolute';

export interface ResolveOptions {
  /** `DECKPROBE_MCP_BIN`: this engine or none. */
  readonly bin: string | undefined;
  /** Where packages are looked up from: a file URL. */
  readonly from: string;
  readonly env: NodeJS.ProcessEnv;
  readonly childEnv: NodeJS.ProcessEnv;
  readonly files: FileSystem;
  /** Aborts the look-up when the server shuts down. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  readonly track: (run: ChildRun) => ChildRun;
  /** How a program for Node.js is started, or why none can be. */
  readonly nodeRuntime: CandidatePlaces['nodeRuntime'];
  readonly permission: EnginePermission;
}

export type Resolution = { readonly engine: EngineCommand } | { readonly failure: Failure };

/**
 * Finds the engine: `DECKPROBE_MCP_BIN`, else the platform package, else PATH, else WebAssembly. Each candidate must
 * answer `--version` as deckprobe 2.x; one that does not is passed over with a line in the log, except for the named
 * binary, which is used or refused. Passing trouble at the start of one is a failure of its own: no other takes its place. Says nothing of a look that the server's end cut short. Never rejects.
 */
export async function resolveEngine(options: ResolveOptions): Promise<Resolution> {
  if (options.bin !== undefined) return resolveOverride(options.bin, options);
  const platform = currentPlatform();
  const reasons: string[] = [];
  const isThere = async (file: string) => (await inspect(file, options.files, options.signal)).there;
  for await (const candidate of findCandidates(platform, { ...options, isThere })) {
    const asked = 'place' in candidate ? candidate : await askCandidate(candidate, options);
    if ('engine' in asked) return asked;
    if (options.signal.aborted) return { failure: stopFailure('closed') };
    if ('failure' in asked) return asked;
    const place = 'place' in candidate ? candidate.place : (candidate.prefix[0] ?? candidate.command);
    reasons.push(`${quote(place)} was passed over: ${asked.problem}`);
    options.log(`engine ${reasons.at(-1)}`);
  }
  return { failure: notFound(platform, reasons) };
}

async function resolveOverride(bin: string, options: ResolveOptions): Promise<Resolution> {
  const candidate: Candidate = { kind: 'override', command: bin, prefix: [] };
  const asked = isFullyQualified(bin) ? await askCandidate(candidate, options) : { problem: NOT_ABSOLUTE };
  if ('engine' in asked) return asked;
  if (options.signal.aborted) return { failure: stopFailure('closed') };
  if ('failure' in asked) return asked;
  return {
    failure: {
      code: 'MCP_ENGINE_NOT_FOUND',
      message: `DECKPROBE_MCP_BIN is ${quote(bin)}, which cannot be used: ${asked.problem}`,
      hint: 'Set DECKPROBE_MCP_BIN to the absolute path of a deckprobe 2.x executable, or unset it to use the installed engine.',
    },
  };
}

type Asked = Resolution | { readonly problem: string };

/** A candidate as an engine; or why it is none; or passing trouble, which says nothing about it. */
async function askCandidate(candidate: Candidate, options: ResolveOptions): Promise<Asked> {
  const { problem, forbidden } = await inspect(candidate.command, options.files, options.signal);
  if (problem === undefined) return askVersion(candidate, options);
  if (!forbidden || candidate.kind !== 'package') return { problem };
  const granted = await options.permission.grant(candidate.command, options.signal);
  return 'problem' in granted ? granted : askVersion({ ...candidate, ...granted }, options);
}

/** Starts a candidate for its version. */
async function askVersion(candidate: Candidate, options: ResolveOptions): Promise<Asked> {
  const { command, prefix, env } = candidate;
  const { childEnv, signal, track } = options;
  let stdout = '';
  const spec: ChildSpec = {
    command,
    args: [...prefix, '--version'],
    env: { ...childEnv, ...env },
    onStdout: (chunk) => {
      stdout = (stdout + chunk.toString('utf8')).slice(0, 1024);
      return 0;
    },
  };
  const run = track(startChildPatiently(spec, signal));
  const timer = setTimeout(run.stop, VERSION_TIMEOUT_MS, 'deadline');
  const end = await run.ended;
  clearTimeout(timer);
  await run.exited;
  const version = /^deckprobe (2\.\d+\.\d+\S*)\s*$/.exec(stdout)?.[1];
  if (version !== undefined && end.code === 0) return { engine: { ...candidate, version } };
  const failure = passingTrouble(end.spawnError) && spawnFailure(end);
  if (failure) return { failure };
  return { problem: versionProblem(command, end, stdout) };
}

function versionProblem(command: string, end: ChildEnd, stdout: string): string {
  if (end.spawnError !== undefined) return explainSpawnError(end.spawnError.code, command) ?? end.spawnError.message;
  if (end.stop !== undefined) return `it did not answer --version within ${VERSION_TIMEOUT_MS} ms`;
  const crash = crashFailure(end);
  return crash?.message ?? `it does not answer --version as deckprobe 2.x but with ${quote(stdout.trim(), 80)}`;
}

/** Names what was looked for, the usual causes and the ways out. */
function notFound(platform: Platform, reasons: readonly string[]): Failure {
  const name = platformPackage(platform);
  const wanted = name ?? SDK_PACKAGE;
  const passedOver = reasons.length === 0 ? '' : ` ${reasons.join('; ')}.`;
  return {
    code: 'MCP_ENGINE_NOT_FOUND',
    message:
      `no deckprobe engine for ${describePlatform(platform)}: ${missingNative(platform)}, and the WebAssembly engine` +
      ` (${SDK_PACKAGE}) is not installed or does not run.${passedOver}` +
      ' Usual causes: optional dependencies were omitted at install, node_modules was copied from another platform,' +
      ' or the registry in use does not carry the package.',
    hint: `Run "npm install ${wanted}" beside this server, or set DECKPROBE_MCP_BIN to the absolute path of a deckprobe 2.x executable.`,
  };
}

/** Why a machine has no native engine, in words. */
export function missingNative(platform: Platform): string {
  const name = platformPackage(platform);
  const looked =
    name === undefined
      ? 'no native engine package is published for it'
      : `the package ${name} is not installed or does not run`;
  return `${looked}, there is no deckprobe 2.x on PATH`;
}
