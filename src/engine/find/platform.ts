/** A machine as the engine packages tell machines apart. */
export interface Platform {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** C library; only Linux has a choice. */
  readonly libc: 'gnu' | 'musl' | undefined;
}

const PREFIX = '@deckflow/deckprobe';

const SUFFIXES = new Set([
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64-gnu',
  'linux-arm64-musl',
  'linux-x64-gnu',
  'linux-x64-musl',
  'win32-x64-msvc',
]);

/** The package that carries the native engine for a machine, or undefined where none is published. */
export function platformPackage({ platform, arch, libc }: Platform): string | undefined {
  const abi = platform === 'win32' ? 'msvc' : libc;
  const suffix = [platform, arch, ...(abi === undefined ? [] : [abi])].join('-');
  return SUFFIXES.has(suffix) ? `${PREFIX}-${suffix}` : undefined;
}

/** The engine's file inside a platform package. */
export function packagedBinary(platform: NodeJS.Platform): string {
  return `bin/${executableName(platform)}`;
}

/** The engine's file name. Windows cannot start a `.cmd` shim without a shell, so only the `.exe` counts there. */
export function executableName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'deckprobe.exe' : 'deckprobe';
}

/** A machine in words, for messages. */
export function describePlatform({ platform, arch, libc }: Platform): string {
  return `${platform} ${arch}${libc === undefined ? '' : ` (${libc === 'gnu' ? 'glibc' : 'musl'})`}`;
}

/** The machine this process runs on. */
export function currentPlatform(): Platform {
  const libc = process.platform === 'linux' ? (hasGlibc() ? 'gnu' : 'musl') : undefined;
  return { platform: process.platform, arch: process.arch, libc };
}

/** Node's report names the glibc it runs on; on musl it names none. */
function hasGlibc(): boolean {
  // The report's reverse look-ups of open connections can stall for seconds. The switch exists on Node 20.20 though
  // its types do not know it.
  const report: { excludeNetwork?: boolean; getReport(): object } = process.report;
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  try {
    const { header }: { header?: { glibcVersionRuntime?: string } } = report.getReport();
    return header?.glibcVersionRuntime !== undefined;
  } finally {
    if (before !== undefined) report.excludeNetwork = before;
  }
}
