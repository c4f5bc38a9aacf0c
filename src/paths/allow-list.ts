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

function split(absolute: string, rules: PathRules): string[] {
  const normal = rules.normalize(absolute);
  const { root } = rules.parse(normal);
  const segments = normal.slice(root.length).split(rules.sep);
  return [volume(root, rules), ...segments.filter((segment) => segment !== '')];
}

/** `c:\`, `C:\` and `\\?\C:\` are one volume, and so are a share and its device form. */
function volume(root: string, rules: PathRules): string {
  if (rules.sep === '/') return root;
  const plain = root.replace(/^\\\\[?.]\\UNC\\/i, '\\\\').replace(/^\\\\[?.]\\/, '');
  return plain.replace(/\\+$/, '').toLowerCase();
}

/**
 * Whether a Windows path reaches a share (`\\host\share`, `//host/share`) or a device (`\\?\`, `\\.\`). To resolve
 * such a path is to open the network, so it must be judged by its text alone.
 */
export function isShareOrDevice(absolute: string, rules: PathRules = path): boolean {
  return rules.sep === '\\' && /^[\\/]{2}/.test(absolute);
}

/** Whether a share or device path is on the volume of one of the roots, judged without touching the file system. */
export function isOnRootVolume(roots: readonly string[], target: string, rules: PathRules = path): boolean {
  const [targetVolume] = split(target, rules);
  return roots.some((root) => isShareOrDevice(root, rules) && split(root, rules)[0] === targetVolume);
}
