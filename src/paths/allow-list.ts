import path from 'node:path';

/** The path rules of one operating system: `path.posix` or `path.win32`. */
export type PathRules = path.PlatformPath;

/**
 * Whether `target` is `root` or below it. Both are absolute, real paths, compared by segments. Case counts, as the
 * file system has already spelled real paths its own way; only the part that it does not spell (a drive letter, a
 * share) is compared without.
 */
export function isInside(root: string, target: string, rules: PathRules = path): boolean {
  const [rootVolume, ...rootSegments] = split(root, rules);
  const [targetVolume, ...targetSegments] = split(target, rules);
  return rootVolume === targetVolume && rootSegments.every((segment, index) => segment === targetSegments[index]);
}

/**
 * Whether a Windows path must be refused by its text alone: one to a share (`\\host\share`, `//host/share`) or a
 * device (`\\.\`) that no root is on. Merely to resolve such a path makes Windows open the share.
 */
export function isRefusedByText(roots: readonly string[], target: string, rules: PathRules = path): boolean {
  if (!isShareOrDevice(target, rules)) return false;
  const [volume] = split(target, rules);
  return !roots.some((root) => isShareOrDevice(root, rules) && split(root, rules)[0] === volume);
}

/** Whether a path reaches a share or a device; none does outside Windows. */
export function isShareOrDevice(absolute: string, rules: PathRules = path): boolean {
  return rules.sep === '\\' && /^[\\/]{2}/.test(withoutDevicePrefix(absolute));
}

/** The volume, then the segments below it. */
function split(absolute: string, rules: PathRules): string[] {
  const normal = rules.normalize(rules.sep === '\\' ? withoutDevicePrefix(absolute) : absolute);
  const { root } = rules.parse(normal);
  const volume = rules.sep === '\\' ? root.replace(/\\+$/, '').toLowerCase() : root;
  const segments = normal.slice(root.length).split(rules.sep);
  return [volume, ...segments.filter((segment) => segment !== '')];
}

/** `\\?\C:\` is `C:\`, and `\\?\UNC\host\share` is `\\host\share`; a device of another kind stays one. */
function withoutDevicePrefix(absolute: string): string {
  return absolute.replace(/^[\\/]{2}\?[\\/]UNC[\\/]/i, '\\\\').replace(/^[\\/]{2}\?[\\/](?=[a-z]:[\\/])/i, '');
}
