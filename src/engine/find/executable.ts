import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FileSystem } from '../../filesystem.js';
import { unlessAborted } from '../call.js';

/** A file that has not answered for this long cannot be used, milliseconds. */
const PATIENCE_MS = 2000;
/** `e_machine` of the ELF files that a machine runs by itself: its own, and those of its 32-bit forebears. */
const ELF_MACHINES: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [0x3e, 0x03],
  arm64: [0xb7, 0x28],
};
/** Where Linux lists the formats that it runs through an interpreter, qemu for one. */
const BINFMT = '/proc/sys/fs/binfmt_misc';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** The texts of the entries of binfmt_misc. */
  readonly formats?: readonly string[];
}

/** What a look at a file says of starting it. */
export interface Inspection {
  /** Whether an executable file is there, though it may be one of another system. */
  readonly there: boolean;
  /** Why it cannot be started, or undefined when it may be. */
  readonly problem: string | undefined;
  /** Whether all that is missing is the permission to execute it. */
  readonly forbidden: boolean;
}

const NOTHING: Inspection = { there: false, problem: undefined, forbidden: false };

/**
 * Looks at a file before it is started: execvp hands what the kernel refuses to a shell, which would run a foreign binary
 * as a script, and to start a file on a dead network share would stop the server. Never rejects.
 */
export async function inspect(file: string, files: FileSystem, signal: AbortSignal): Promise<Inspection> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const look = unlessAborted(files.ask('executable', { path: file }, patience), patience);
  const found = await unlessAborted(look, signal).catch((error: Error) => error.message);
  if (typeof found === 'string') return { ...NOTHING, problem: found };
  if (found === undefined)
    return { ...NOTHING, problem: `it did not answer within ${PATIENCE_MS} ms (a network share that is gone?)` };
  if (found.problem !== undefined)
    return { ...NOTHING, problem: describeProblem(found.problem), forbidden: found.problem === 'EACCES' };
  const foreign = foreignExecutable(Buffer.from(found.header, 'base64'), file);
  return { ...NOTHING, there: true, problem: foreign && `it is ${foreign} and cannot be executed here` };
}

function describeProblem(code: string): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file';
    case 'ENOTFILE':
      return 'it is not a file';
    case 'EACCES':
      return 'it is not executable';
    default:
      return code;
  }
}

/** What a file is, when its header says that it was built for another system or processor; else undefined. */
export function foreignExecutable(header: Buffer, file: string, machine: Machine = process): string | undefined {
  const { platform, arch } = machine;
  if (header.length < 20) return undefined;
  if (header.readUInt16BE(0) === 0x4d5a)
    return platform === 'win32' ? undefined : unlessInterpreted('a Windows executable');
  const magic = header.readUInt32BE(0);
  if ([0xcffaedfe, 0xcefaedfe, 0xcafebabe, 0xcafebabf].includes(magic))
    return platform === 'darwin' ? undefined : unlessInterpreted('a macOS executable');
  if (magic !== 0x7f454c46) return undefined;
  if (platform === 'darwin' || platform === 'win32') return 'a Linux executable';
  const elf = header[5] === 2 ? header.readUInt16BE(18) : header.readUInt16LE(18);
  const own = ELF_MACHINES[arch as NodeJS.Architecture];
  if (own === undefined || own.includes(elf)) return undefined;
  return unlessInterpreted(`an executable for another processor (ELF machine ${elf}, not that of ${arch})`);

  function unlessInterpreted(what: string): string | undefined {
    const formats = machine.formats ?? (platform === 'linux' ? readFormats() : []);
    return formats.some((format) => matches(format, header, file)) ? undefined : what;
  }
}

/** The entries of binfmt_misc, which the kernel lists without a look at any disk; none where it is not mounted or off. */
function readFormats(): string[] {
  try {
    if (readFileSync(path.join(BINFMT, 'status'), 'utf8').trim() !== 'enabled') return [];
    const names = readdirSync(BINFMT).filter((name) => name !== 'status' && name !== 'register');
    return names.map((name) => readFileSync(path.join(BINFMT, name), 'utf8'));
  } catch {
    return [];
  }
}

/**
 * Whether an entry of binfmt_misc takes a file, by its extension or by bytes at an offset under a mask
 * (https://docs.kernel.org/admin-guide/binfmt-misc.html).
 */
function matches(format: string, header: Buffer, file: string): boolean {
  const lines = format.split('\n');
  const value = (key: string) => lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
  if (lines[0] !== 'enabled') return false;
  const extension = value('extension');
  if (extension !== undefined) return file.endsWith(extension);
  const magic = Buffer.from(value('magic') ?? '', 'hex');
  const mask = Buffer.from(value('mask') ?? 'ff'.repeat(magic.length), 'hex');
  const bytes = header.subarray(Number(value('offset') ?? 0));
  return (
    magic.length > 0 &&
    bytes.length >= magic.length &&
    magic.every((byte, index) => ((byte ^ (bytes[index] ?? 0)) & (mask[index] ?? 0xff)) === 0)
  );
}
