// What the server asks of Windows' taskkill, which Wine's own does not know: `taskkill /pid N /t /f` ends a process with all
// that descends from it. Exits with 128 where there is no such process, as Windows' does.
#include <windows.h>
#include <stdlib.h>
#include <tlhelp32.h>

#define MOST 2048

static DWORD doomed[MOST];
static int doomed_count;

static BOOL is_doomed(DWORD pid) {
  for (int i = 0; i < doomed_count; i++)
    if (doomed[i] == pid) return TRUE;
  return FALSE;
}

// Adds the children of those that are in the list already. Returns how many came in.
static int add_children(void) {
  int before = doomed_count;
  PROCESSENTRY32W entry = {sizeof entry};
  HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  for (BOOL more = Process32FirstW(all, &entry); more && doomed_count < MOST; more = Process32NextW(all, &entry)) {
    if (!is_doomed(entry.th32ProcessID) && is_doomed(entry.th32ParentProcessID))
      doomed[doomed_count++] = entry.th32ProcessID;
  }
  CloseHandle(all);
  return doomed_count - before;
}

static BOOL end(DWORD pid) {
  HANDLE process = OpenProcess(PROCESS_TERMINATE, FALSE, pid);
  BOOL ended = process && TerminateProcess(process, 1);
  if (process) CloseHandle(process);
  return ended;
}

int main(int count, char **arguments) {
  BOOL tree = FALSE;
  for (int i = 1; i < count; i++) {
    if (!lstrcmpiA(arguments[i], "/t")) tree = TRUE;
    if (!lstrcmpiA(arguments[i], "/pid") && i + 1 < count) doomed[doomed_count++] = strtoul(arguments[i + 1], NULL, 10);
  }
  if (doomed_count != 1) return 1;
  while (tree && add_children() > 0) continue;
  BOOL found = end(doomed[0]);
  for (int i = 1; i < doomed_count; i++) end(doomed[i]);
  return found ? 0 : 128;
}
