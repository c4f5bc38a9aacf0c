// The engine's command line under Wine: a Windows program that has bridge.mjs run the Linux engine on this machine.
// A Linux process can use no pipe of Windows' and its end is never told, so all goes through files in a folder, and it has
// ended when the file "status" is there. COMMAND is how bridge.mjs is started, PROGRAM its executable as a Windows path.
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#define MOST_PATH 1024
#define MOST_BYTES 65536

static wchar_t folder[MOST_PATH];

static const wchar_t *in_folder(const wchar_t *name) {
  static wchar_t file[MOST_PATH + 16];
  _snwprintf(file, MOST_PATH + 16, L"%ls\\%ls", folder, name);
  return file;
}

static HANDLE open_file(const wchar_t *name, DWORD access, DWORD how) {
  return CreateFileW(in_folder(name), access, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, how, 0, NULL);
}

// To the end of the one; an end of the other is an end as well.
static void copy(HANDLE from, HANDLE to) {
  static char bytes[MOST_BYTES];
  DWORD size, written;
  while (ReadFile(from, bytes, sizeof bytes, &size, NULL) && size > 0)
    for (DWORD at = 0; at < size; at += written)
      if (!WriteFile(to, bytes + at, size - at, &written, NULL)) return;
}

static void make_folder(void) {
  wchar_t temporary[MOST_PATH / 2];
  GetTempPathW(MOST_PATH / 2, temporary);
  _snwprintf(folder, MOST_PATH, L"%lsbridge-%lu-%llu", temporary, GetCurrentProcessId(), GetTickCount64());
  if (!CreateDirectoryW(folder, NULL)) exit(125);
}

static void write_arguments(int count, wchar_t **arguments) {
  HANDLE file = open_file(L"arguments", GENERIC_WRITE, CREATE_NEW);
  for (int i = 1; i < count; i++) {
    DWORD written;
    int size = WideCharToMultiByte(CP_UTF8, 0, arguments[i], -1, NULL, 0, NULL, NULL);
    char *text = malloc(size);
    WideCharToMultiByte(CP_UTF8, 0, arguments[i], -1, text, size, NULL, NULL);
    WriteFile(file, text, size, &written, NULL);
    free(text);
  }
  CloseHandle(file);
}

static void write_input(int count, wchar_t **arguments) {
  HANDLE file = open_file(L"stdin", GENERIC_WRITE, CREATE_NEW);
  for (int i = 1; i < count && wcscmp(arguments[i], L"--"); i++)
    if (!wcscmp(arguments[i], L"--jsonl")) copy(GetStdHandle(STD_INPUT_HANDLE), file);
  CloseHandle(file);
}

static void start_engine(void) {
  wchar_t command[4 * MOST_PATH];
  _snwprintf(command, 4 * MOST_PATH, L"%ls \"%ls\"", COMMAND, folder);
  STARTUPINFOW startup = {sizeof startup};
  PROCESS_INFORMATION process;
  if (!CreateProcessW(PROGRAM, command, NULL, NULL, FALSE, DETACHED_PROCESS, NULL, NULL, &startup, &process)) exit(124);
}

static void print_file(const wchar_t *name, DWORD stream) {
  HANDLE file = open_file(name, GENERIC_READ, OPEN_EXISTING);
  copy(file, GetStdHandle(stream));
  CloseHandle(file);
}

static int read_status(void) {
  char text[16] = {0};
  DWORD size;
  HANDLE file = open_file(L"status", GENERIC_READ, OPEN_EXISTING);
  ReadFile(file, text, sizeof text - 1, &size, NULL);
  CloseHandle(file);
  return atoi(text);
}

int wmain(int count, wchar_t **arguments) {
  make_folder();
  write_arguments(count, arguments);
  write_input(count, arguments);
  start_engine();
  while (GetFileAttributesW(in_folder(L"status")) == INVALID_FILE_ATTRIBUTES) Sleep(2);
  print_file(L"stdout", STD_OUTPUT_HANDLE);
  print_file(L"stderr", STD_ERROR_HANDLE);
  int status = read_status();
  const wchar_t *files[] = {L"arguments", L"stdin", L"stdout", L"stderr", L"status"};
  for (int i = 0; i < 5; i++) DeleteFileW(in_folder(files[i]));
  RemoveDirectoryW(folder);
  return status;
}
