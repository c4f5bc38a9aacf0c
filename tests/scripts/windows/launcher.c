// An executable that runs a command line which stands in a file beside it: deckprobe.exe reads deckprobe.command, UTF-16,
// and appends its own arguments as they came. Windows starts no scripts, so tests play engines by Node programs behind it.
// What it has started ends with it, however it ends.
#include <windows.h>

#define MOST 32767

static wchar_t command[MOST + 1];

// The arguments of this process as text: what follows its own name.
static const wchar_t *own_arguments(void) {
  const wchar_t *rest = GetCommandLineW();
  int quoted = 0;
  for (; *rest && (quoted || (*rest != L' ' && *rest != L'\t')); rest++)
    if (*rest == L'"') quoted = !quoted;
  return rest;
}

// Reads the file whose name is this program's with another extension. Returns how many characters it has, or -1.
static int read_command(void) {
  static wchar_t name[MAX_PATH + 16];
  DWORD length = GetModuleFileNameW(NULL, name, MAX_PATH), bytes = 0;
  if (length < 4 || length >= MAX_PATH) return -1;
  lstrcpyW(name + length - 4, L".command");
  HANDLE file = CreateFileW(name, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return -1;
  BOOL read = ReadFile(file, command, MOST * sizeof *command, &bytes, NULL);
  CloseHandle(file);
  return read ? (int)(bytes / sizeof *command) : -1;
}

int wmain(void) {
  int length = read_command();
  const wchar_t *arguments = own_arguments();
  if (length < 0 || length + lstrlenW(arguments) > MOST) return 126;
  lstrcpyW(command + length, arguments);

  HANDLE job = CreateJobObjectW(NULL, NULL);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);

  STARTUPINFOW startup = {sizeof startup};
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
  startup.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
  startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
  PROCESS_INFORMATION process;
  if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &startup, &process)) return 127;
  AssignProcessToJobObject(job, process.hProcess);
  ResumeThread(process.hThread);
  WaitForSingleObject(process.hProcess, INFINITE);
  DWORD status = 126;
  GetExitCodeProcess(process.hProcess, &status);
  return (int)status;
}
