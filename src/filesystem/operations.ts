import { constants, stat as statByCallback } from 'node:fs';
import { access, lstat, open, opendir, stat } from 'node:fs/promises';
import { allowExecution, copyPrivately, type PrivateCopy, removeCopy, sweepCopies } from './permission.js';
import { realPathOf } from './real-path.js';

/** What is at a path. */
export interface Status {
  /** Nothing is there. Whatever else is wrong with a path is not said here. */
  readonly missing: boolean;
  /** Bytes, where that can be told. */
  readonly size?: number;
}

/** Where a path really leads, and what is there. */
export interface Place extends Status {
  readonly real: string;
}

/** Limits of the look at a folder: it must not hold up an error. Names; milliseconds. */
export interface ListingLimits {
  readonly names: number;
  readonly ms: number;
}

/** A file as something to start. */
export interface ExecutableFile {
  /** Why it cannot be one, as a code: `ENOENT`, `ENOTFILE`, `EACCES` or another of the system's. */
  readonly problem: string | undefined;
  /** Its first bytes, base64; empty where it cannot be read, which an executable need not be. */
  readonly header: string;
}

/** What each operation takes and gives, as JSON has it: an operation may be carried out by another process. */
export interface OperationTypes {
  status: { takes: { path: string }; gives: Status };
  place: { takes: { path: string }; gives: Place };
  /** Whether the last part of a path is a symbolic link. */
  isLink: { takes: { path: string }; gives: boolean };
  names: { takes: { folder: string; limits: ListingLimits }; gives: string[] | null };
  executable: { takes: { path: string }; gives: ExecutableFile };
  allow: { takes: { path: string }; gives: string | null };
  copy: { takes: { path: string; pid: number }; gives: PrivateCopy };
  remove: { takes: { copy: string }; gives: null };
  sweep: { takes: { name: string }; gives: null };
}

export type OperationName = keyof OperationTypes;

/** Bytes of a file that the kernel looks at before it starts it; binfmt_misc sees as many. */
const HEADER_BYTES = 256;

/**
 * The only looks at files and folders whose place a client or an operator named, and what the server does to its own
 * packaged engine where it may not be executed: the last four are all that it ever writes. None rejects.
 */
export const OPERATIONS: {
  readonly [Name in OperationName]: (takes: OperationTypes[Name]['takes']) => Promise<OperationTypes[Name]['gives']>;
} = {
  status: ({ path }) => statusOf(path),
  place: ({ path }) => placeOf(path),
  isLink: async ({ path }) => {
    try {
      return (await lstat(path)).isSymbolicLink();
    } catch {
      return false;
    }
  },
  names: ({ folder, limits }) => namesIn(folder, limits),
  executable: async ({ path }) => {
    const problem = await executableProblem(path);
    return { problem, header: problem === undefined ? await headerOf(path) : '' };
  },
  allow: ({ path }) => allowExecution(path),
  copy: ({ path, pid }) => copyPrivately(path, pid),
  remove: ({ copy }) => removeCopy(copy),
  sweep: ({ name }) => sweepCopies(name),
};

/** Looks at one path while it keeps appearing. */
const MAX_LOOKS = 3;

/**
 * What was missing when it was followed and is there when it is looked at may be a link by now, and lead anywhere: it is
 * followed anew. One that is never seen in one piece is missing.
 */
async function placeOf(path: string): Promise<Place> {
  let real = path;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const found = await realPathOf(path);
    const status = await statusOf(found.real);
    if (found.isFollowed || status.size === undefined) return { real: found.real, ...status };
    real = found.real;
  }
  return { real, missing: true };
}

/** By callback: the promise of node:fs/promises takes longer than the look itself, and every probe asks. */
function statusOf(absolute: string): Promise<Status> {
  return new Promise((resolve) => {
    statByCallback(absolute, (error, stats) =>
      resolve(error === null ? { missing: false, size: stats.size } : { missing: MISSING.has(error.code) }),
    );
  });
}

const MISSING: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

/** Names that are read in one piece. */
const AT_ONCE = 256;

/** The names in a folder, or null for one that cannot be read to its end within the limits. */
async function namesIn(folder: string, limits: ListingLimits): Promise<string[] | null> {
  const until = performance.now() + limits.ms;
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder, { bufferSize: AT_ONCE })) {
      names.push(name);
      if (names.length >= limits.names) return null;
      if (names.length % AT_ONCE === 0 && performance.now() > until) return null;
    }
  } catch {
    return null;
  }
  return names;
}

async function executableProblem(file: string): Promise<string | undefined> {
  try {
    if (!(await stat(file)).isFile()) return 'ENOTFILE';
    await access(file, constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

async function headerOf(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
      return buffer.subarray(0, bytesRead).toString('base64');
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}
