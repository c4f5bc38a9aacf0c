/**
 * What a child needs to start and to find its libraries and temporary folder. ELECTRON_RUN_AS_NODE is among them
 * because the JavaScript runtime of a desktop client is Electron's.
 */
const PASSED_ON = new Set([
  'PATH',
  'HOME',
  'USERPROFILE',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TZ',
  'LANG',
  'LANGUAGE',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'DYLD_FALLBACK_LIBRARY_PATH',
  'NIX_LD',
  'NIX_LD_LIBRARY_PATH',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'ELECTRON_RUN_AS_NODE',
]);

/** The environment of every child: a short list, so that the host's secrets stay with the host. */
export function childEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passes = (name: string) => PASSED_ON.has(name) || name.startsWith('LC_');
  return Object.fromEntries(Object.entries(env).filter(([name]) => passes(name.toUpperCase())));
}
