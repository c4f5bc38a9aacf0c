import { readFileSync } from 'node:fs';

/** Another way to read a path that leads nowhere as it is written. */
export interface Respelling {
  readonly path: string;
  /** How it differs, as the end of "It is the path …". */
  readonly difference: string;
}

/** Respellings of one path that are looked at. */
const MAX_LOOKS = 4;

const QUOTED = /^\s*(?:"(.+)"|'(.+)'|`(.+)`|\u201c(.+)\u201d|\u2018(.+)\u2019)\s*$/s;

const MENDINGS: readonly { readonly difference: string; mend(path: string): string }[] = [
  {
    difference: 'without the quotes around it',
    mend: (path) =>
      QUOTED.exec(path)
        ?.slice(1)
        .find((inner) => inner !== undefined) ?? path,
  },
  {
    difference: 'without the backslashes of a shell',
    mend: (path) => (process.platform === 'win32' ? path : path.replace(/\\([\s()[\]{}'"&])/g, '$1')),
  },
  { difference: 'with its percent signs decoded', mend: decodePercent },
  { difference: 'without the white space at its ends', mend: (path) => path.trim() },
];

/**
 * Paths that the caller may have meant: what shells, URLs and quoting add is taken off, all of it together first
 * and then one thing at a time. Pure text: whether anything is there has to be looked at.
 */
export function respellings(requested: string): Respelling[] {
  const single = MENDINGS.map(({ mend, difference }) => ({ path: mend(requested), difference }));
  const mended = MENDINGS.filter(({ mend }) => mend(requested) !== requested);
  const all = MENDINGS.reduce((path, { mend }) => mend(path), requested);
  const together = { path: all, difference: mended.map(({ difference }) => difference).join(' and ') };
  const seen = new Set([requested, '']);
  return [together, ...single].filter(({ path }) => !seen.has(path) && seen.add(path)).slice(0, MAX_LOOKS);
}

function decodePercent(path: string): string {
  if (!/%[0-9a-f]{2}/i.test(path)) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A path as Windows writes it, `C:\…`, `\\host\…` or `file:///C:/…`, or undefined for any other. */
export function windowsPath(requested: string): string | undefined {
  const plain = requested.replace(/^file:\/\/\/(?=[a-z](?::|%3a)[\\/])/i, '').replace(/^([a-z])%3a/i, '$1:');
  return /^(?:[a-z]:[\\/]|\\\\[^\\])/i.test(plain) ? plain : undefined;
}

/**
 * Where WSL mounts the drive of a Windows path, or undefined for a share.
 * @see https://learn.microsoft.com/windows/wsl/wsl-config: `/mnt/` is the default.
 */
export function mountedDrive(windows: string): string | undefined {
  const [, drive = '', rest = ''] = /^([a-z]):[\\/](.*)$/is.exec(windows) ?? [];
  return drive === '' ? undefined : `/mnt/${drive.toLowerCase()}/${decodePercent(rest).replaceAll('\\', '/')}`;
}

/** Whether this is Linux inside Windows (WSL), as the kernel's version tells. */
export function isWsl(): boolean {
  try {
    return process.platform === 'linux' && /microsoft/i.test(readFileSync('/proc/version', 'utf8'));
  } catch {
    return false;
  }
}
