import { open } from 'node:fs/promises';

const HEADER_BYTES = 20;
/** `e_machine` of the ELF files that Node's architectures run. */
const ELF_MACHINES: Partial<Record<NodeJS.Architecture, number>> = { x64: 0x3e, arm64: 0xb7 };

/**
 * What a file is, when its header says that it was built for another system or processor; undefined when it says
 * nothing of the kind. To be asked before a file is started: execvp hands what the kernel refuses to a shell, which
 * would run the binary as a script.
 */
export async function foreignExecutable(
  file: string,
  { platform, arch }: { platform: NodeJS.Platform; arch: string } = process,
): Promise<string | undefined> {
  const header = await readHeader(file);
  if (header === undefined) return undefined;
  if (header.readUInt16BE(0) === 0x4d5a) return platform === 'win32' ? undefined : 'a Windows executable';
  const magic = header.readUInt32BE(0);
  if ([0xcffaedfe, 0xcefaedfe, 0xcafebabe].includes(magic))
    return platform === 'darwin' ? undefined : 'a macOS executable';
  if (magic !== 0x7f454c46) return undefined;
  if (platform === 'darwin' || platform === 'win32') return 'a Linux executable';
  const machine = header[5] === 2 ? header.readUInt16BE(18) : header.readUInt16LE(18);
  const expected = ELF_MACHINES[arch as NodeJS.Architecture];
  if (expected === undefined || machine === expected) return undefined;
  return `an executable for another processor (ELF machine ${machine}, not that of ${arch})`;
}

async function readHeader(file: string): Promise<Buffer | undefined> {
  try {
    const handle = await open(file);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
      return bytesRead === HEADER_BYTES ? buffer : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    // An executable need not be readable.
    return undefined;
  }
}
