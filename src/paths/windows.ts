import path from 'node:path';
import type { PathRules } from './allow-list.js';

/**
 * Whether a path means the same wherever the server was started. On Windows that takes a drive or a share (Microsoft's
 * "fully qualified"): `\docs` and `/docs`, which are absolute for Node, are on the drive of the working directory. A device
 * is no such path.
 */
export function isFullyQualified(absolute: string, rules: PathRules = path): boolean {
  if (!rules.isAbsolute(absolute)) return false;
  return rules.sep === '/' || (rules.parse(absolute).root.length > 1 && !isDevice(absolute, rules));
}

/**
 * Device paths, but for the two forms of them that are files: `\\?\C:\…` and `\\?\UNC\host\share…`.
 * @see https://learn.microsoft.com/dotnet/standard/io/file-path-formats: DOS device paths.
 */
const DEVICE_PATH = /^[\\/]{2}(?:\.|\?(?![\\/](?:[a-z]:[\\/]|UNC[\\/][^\\/]+[\\/][^\\/])))(?:[\\/]|$)/i;

/**
 * Names that belong to devices, whatever extension, stream or spaces follow.
 * @see https://learn.microsoft.com/windows/win32/fileio/naming-a-file: the superscript digits are among them.
 */
const RESERVED_NAME = /^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[1-9¹²³]) *(?:[.:]|$)/i;

/** Whether opening a path would open a device, as its text tells; no path does so outside Windows. */
export function isDevice(absolute: string, rules: PathRules = path): boolean {
  return rules.sep === '\\' && (DEVICE_PATH.test(absolute) || RESERVED_NAME.test(rules.basename(absolute)));
}

/**
 * The folders on PATH that are fully qualified; what others name changes with the working directory. On Windows an entry
 * may stand in quotes, and then hold the separator.
 */
export function searchFolders(env: NodeJS.ProcessEnv, rules: PathRules = path): string[] {
  const value = pathVariable(env, rules) ?? '';
  const entries =
    rules.sep === '/'
      ? value.split(rules.delimiter)
      : (value.match(/(?:"[^"]*"?|[^";])+/g) ?? []).map((entry) => entry.replaceAll('"', ''));
  return entries.filter((entry) => isFullyQualified(entry, rules));
}

/** Windows writes it Path. An environment that is a copy of the process's own finds it in no other letter case. */
function pathVariable(env: NodeJS.ProcessEnv, { sep }: PathRules): string | undefined {
  if (env.PATH !== undefined || sep === '/') return env.PATH;
  return Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
}

/**
 * Whether a name may be the 8.3 form of a longer one, whose extension may be another: `LETTER~1.DOC` of a `.docx`.
 * @see https://learn.microsoft.com/windows/win32/fileio/naming-a-file: short vs. long names.
 */
export function isShortName(name: string, rules: PathRules = path): boolean {
  return rules.sep === '\\' && /^(?=[^.]{0,7}~)[^.]{1,8}(?:\.[^.]{1,3})?$/.test(name);
}
