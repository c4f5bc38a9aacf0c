// What the test runner's native packages import from bcryptprimitives.dll, which Wine 8 does not have.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
  const ULONG most = 1 << 20;
  while (length > most) {
    if (!RtlGenRandom(data, most)) return FALSE;
    data += most;
    length -= most;
  }
  return RtlGenRandom(data, (ULONG)length);
}
