import path from 'node:path';

/**
 * What a spawn error means for a file that is there, in words that tell what to do about it; undefined for a code that
 * has none.
 */
export function explainSpawnError(
  code: string | undefined,
  file: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const name = code !== undefined && platform === 'darwin' ? (UNNAMED_ON_MACOS[code] ?? code) : code;
  const words = platform === 'win32' ? (onWindows(name, file) ?? onAny(name)) : (onPosix(name) ?? onAny(name));
  return words && `${name}: ${words}`;
}

/** Errors of macOS that libuv has no names for (https://github.com/apple-oss-distributions/xnu: bsd/sys/errno.h). */
const UNNAMED_ON_MACOS: Readonly<Record<string, string>> = {
  'Unknown system error -8': 'ENOEXEC',
  'Unknown system error -85': 'EBADEXEC',
  'Unknown system error -86': 'EBADARCH',
  'Unknown system error -88': 'EBADMACHO',
};

const CANNOT_BE_EXECUTED = new Set(['ENOEXEC', 'EBADEXEC', 'EBADARCH', 'EBADMACHO', 'UNKNOWN']);

function onAny(code: string | undefined): string | undefined {
  if (code !== undefined && CANNOT_BE_EXECUTED.has(code))
    return 'the file cannot be executed here (built for another architecture or system, or damaged)';
  return undefined;
}

function onPosix(code: string | undefined): string | undefined {
  if (code === 'ENOENT')
    return 'the file is missing, or it exists but its loader does not (built for another C library)';
  if (code === 'EACCES') return 'the file must not be executed (no permission, or a file system mounted noexec)';
  return undefined;
}

/** libuv tells what CreateProcess refuses as EPERM or EACCES; Node itself refuses scripts with EINVAL (CVE-2024-27980). */
function onWindows(code: string | undefined, file: string): string | undefined {
  const extension = path.win32.extname(file).toLowerCase();
  switch (code) {
    case 'EINVAL':
      if (extension !== '.cmd' && extension !== '.bat') return undefined;
      return `a ${extension} script needs a shell, and none is used: name the deckprobe.exe that it starts`;
    case 'ENOENT':
      if (extension === '') return 'Windows starts no file without an extension: name one that ends in .exe';
      return 'the file is missing';
    case 'EPERM':
    case 'EACCES':
      return 'Windows denies to start the file: allow it in its permissions, in the policy (AppLocker and its like) or in the antivirus program';
    default:
      return undefined;
  }
}
