import { constants } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';

/** An error as the engine's command line reports it. */
export interface SourceError {
  readonly code: 'SOURCE_IO' | 'INVALID_REQUEST';
  readonly exit_code: 1 | 2;
  readonly message: string;
}

/** The most that one buffer, and with it one document, can hold: 2 GiB less a byte, as readFile has it. */
const MAX_BYTES = Math.min(constants.MAX_LENGTH, 2 ** 31 - 1);

/** The size of a document, or what the native command line says of a path that is not one. */
export async function findSource(path: string): Promise<{ size: number } | { error: SourceError }> {
  try {
    const status = await stat(path);
    return status.isFile() ? { size: status.size } : { error: invalidRequest(`input is not a regular file: ${path}`) };
  } catch (error) {
    return { error: sourceIo(error) };
  }
}

/**
 * Reads a document of `size` bytes into memory, as the WebAssembly engine takes it.
 * @throws Error with the size for a file that memory cannot hold.
 */
export async function readSource(path: string, size: number): Promise<{ bytes: Uint8Array } | { error: SourceError }> {
  const tooLarge = () => new Error(`the file has ${size} bytes, more than the WebAssembly engine can hold in memory`);
  if (size > MAX_BYTES) throw tooLarge();
  try {
    return { bytes: await readFile(path) };
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    return { error: sourceIo(error) };
  }
}

/** An `INVALID_REQUEST` in the command line's words. */
export function invalidRequest(message: string): SourceError {
  return { code: 'INVALID_REQUEST', exit_code: 1, message: `invalid request: ${message}` };
}

/** The words of the C library for what can go wrong with a path; Node has others. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  EPERM: 'Operation not permitted',
  ENOENT: 'No such file or directory',
  EIO: 'Input/output error',
  EACCES: 'Permission denied',
  ENOTDIR: 'Not a directory',
  EMFILE: 'Too many open files',
  ENAMETOOLONG: 'File name too long',
  ELOOP: 'Too many levels of symbolic links',
};

function sourceIo(error: unknown): SourceError {
  const { errno, code = '' } = error as NodeJS.ErrnoException;
  if (errno === undefined) throw error;
  const message = `source I/O error: ${DESCRIPTIONS[code] ?? code} (os error ${Math.abs(errno)})`;
  return { code: 'SOURCE_IO', exit_code: 2, message };
}
