/** From here on an exit status is an NTSTATUS code of Windows, with the severity "error" or "warning". */
const FIRST_NTSTATUS = 0x80000000;

/**
 * What Windows ends a process with when the process did not end itself.
 * @see https://learn.microsoft.com/openspecs/windows_protocols/ms-erref: NTSTATUS values.
 */
const NTSTATUS: Readonly<Record<string, string>> = {
  C0000005: 'an access violation',
  C000001D: 'an instruction that this processor does not have',
  C000007B: 'a DLL that it needs is for another processor: install the Microsoft Visual C++ Redistributable that fits',
  C00000FD: 'its stack ran out',
  C0000135: 'a DLL that it needs is missing: install the Microsoft Visual C++ Redistributable (x64)',
  C0000139: 'a DLL that it needs is of another version: install the newest Microsoft Visual C++ Redistributable',
  C000013A: 'it was interrupted (Ctrl-C, or its console was closed)',
  C0000409: 'it ended itself over damage to its memory or a panic',
};

/** An exit status in words: those of Windows in hexadecimal, as they are looked up, and explained where they are known. */
export function describeExitStatus(code: number | null): string {
  if (code === null || code < FIRST_NTSTATUS) return `exit status ${code}`;
  const status = code.toString(16).toUpperCase();
  const meaning = NTSTATUS[status];
  return `exit status 0x${status}${meaning === undefined ? '' : ` (${meaning})`}`;
}

/**
 * A signal that ended a process, in words. On macOS a program that came from the Internet or whose signature is broken is
 * ended by SIGKILL at its start, without a word.
 */
export function describeSignal(signal: NodeJS.Signals, platform: NodeJS.Platform = process.platform): string {
  if (signal !== 'SIGKILL' || platform !== 'darwin') return signal;
  return `${signal} (at its start, macOS does so to a program that it does not trust: "xattr -d com.apple.quarantine" on its file lifts the quarantine)`;
}
