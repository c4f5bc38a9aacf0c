import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdtemp, open, opendir, realpath, rmdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Names of the temporary folder that are looked at for copies which were left behind. */
const MOST_NAMES = 5000;
/** A private copy's folder: whose it is, then what makes its name one of its own. */
const PREFIX = 'deckprobe-mcp-engine-';
const FOLDER = /^deckprobe-mcp-engine-(?<pid>\d+)-\w+$/;

/** A copy that the server made for itself, or why it could not. */
export type PrivateCopy = { readonly file: string } | { readonly problem: string };

/**
 * Gives a file's owner the permission to execute it, through the file's descriptor. Only a regular file that is where it
 * is said to be, and nowhere else: what a link or a second name leads to may be somebody else's.
 * @returns why not, or null when it was done. Never rejects.
 */
export async function allowExecution(file: string): Promise<string | null> {
  try {
    if ((await realpath(file)) !== file) return 'it is reached through a link';
    const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const state = await handle.stat();
      if (!state.isFile()) return 'it is not a regular file';
      if (state.nlink > 1) return 'it has another name besides';
      await handle.chmod((state.mode & 0o777) | constants.S_IXUSR);
      return null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    return codeOf(error);
  }
}

/**
 * Copies a file into a new folder among the temporary ones that nobody else can look into, and makes it executable.
 * @param pid the process that the copy is for, so that a later one can tell whether it is still in use. Never rejects.
 */
export async function copyPrivately(file: string, pid: number): Promise<PrivateCopy> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(path.join(tmpdir(), `${PREFIX}${pid}-`));
    const copy = path.join(folder, path.basename(file));
    await copyFile(file, copy, constants.COPYFILE_EXCL);
    await chmod(copy, constants.S_IRWXU);
    return { file: copy };
  } catch (error) {
    if (folder !== undefined) await removeCopy(path.join(folder, path.basename(file)));
    return { problem: codeOf(error) };
  }
}

/** Removes a private copy and its folder, and nothing else that may be there. Never rejects. */
export async function removeCopy(copy: string): Promise<null> {
  await unlink(copy).catch(() => {});
  await rmdir(path.dirname(copy)).catch(() => {});
  return null;
}

/**
 * Removes the private copies of this user's whose processes are gone: a server that was killed could not.
 * @param name the copies' file name. Never rejects.
 */
export async function sweepCopies(name: string): Promise<null> {
  const temporary = tmpdir();
  try {
    let names = 0;
    for await (const entry of await opendir(temporary)) {
      names += 1;
      if (names > MOST_NAMES) break;
      const pid = FOLDER.exec(entry.name)?.groups?.pid;
      const folder = path.join(temporary, entry.name);
      if (pid !== undefined && !isRunning(Number(pid)) && (await isOwn(folder)))
        await removeCopy(path.join(folder, name));
    }
  } catch {
    // No temporary folder, nothing to sweep.
  }
  return null;
}

/** Whether a folder belongs to this user alone. Others may make folders of any name where everybody may write. */
async function isOwn(folder: string): Promise<boolean> {
  const state = await lstat(folder);
  return state.isDirectory() && state.uid === process.getuid?.() && (state.mode & 0o077) === 0;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
