// The engine that misbehaves: what it can do, and the shell script that does it.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const REPORT = '{"schema_version":2,"tool_version":"2.7.0","status":"ok"}';

/**
 * What the engine does for a document named `fault-KIND.pdf`, for `targets --format=fault-KIND`, or for a command whose
 * mode is KIND: POSIX shell, in which `real "$@"` is the real engine's answer and `held` prints a file of the payload folder.
 * `without` names the scenario that leaves a fault out.
 */
const FAULTS = {
  // Ends of a process.
  crash: { shell: 'printf \'{"schema_version":2,"stat\'; kill -SEGV $$' },
  abort: { shell: 'kill -ABRT $$' },
  killed: { shell: 'kill -KILL $$' },
  terminated: { shell: 'kill -TERM $$' },
  panic: { shell: 'echo "thread \'main\' panicked" >&2; exit 101' },
  silent: { shell: 'exit 0' },
  'exit-3': { shell: 'exit 3' },
  'exit-255': { shell: 'real "$@"; exit 255' },
  // Processes that do not end.
  hang: { shell: 'exec sleep 600' },
  deaf: { shell: "trap '' TERM INT HUP; exec sleep 600" },
  stopped: { shell: 'kill -STOP $$' },
  closed: { shell: 'exec >&- 2>&-; exec sleep 600' },
  'half-hang': { shell: 'printf \'{"schema_version":2,"status":"o\'; exec sleep 600' },
  endless: { shell: `exec yes '${REPORT}'`, without: 'endless' },
  'endless-line': { shell: "exec tr '\\0' x </dev/zero", without: 'endless' },
  'endless-stderr': { shell: 'exec yes complaint >&2', without: 'endless' },
  // Output that is late, in pieces, or not alone.
  late: { shell: 'sleep 0.4; real "$@"' },
  trickle: {
    shell: `printf '{"schema_version":2,'; sleep 0.1; printf '"tool_version":"2.7.0",'; sleep 0.1; echo '"status":"ok"}'`,
  },
  gate: { shell: 'echo $$ >> "$here/gated"; while [ ! -e "$here/gate" ]; do sleep 0.05; done; real "$@"' },
  twice: { shell: 'real "$@"; real "$@"' },
  complaining: { shell: 'held binary >&2; real "$@"' },
  // Output that is no answer.
  junk: { shell: "echo 'Segmentation fault, it says'" },
  binary: { shell: 'held binary' },
  half: { shell: 'printf \'{"schema_version":2,"tool_version":"2.7.0","sta\'' },
  null: { shell: 'echo null' },
  array: { shell: "echo '[]'" },
  number: { shell: 'echo 7' },
  empty: { shell: "echo '{}'" },
  'odd-keys': { shell: `echo '{"constructor":1,"toJSON":2,"toString":3,"status":"ok"}'` },
  'error-as-text': { shell: `echo '{"schema_version":2,"status":"error","error":"no"}'` },
  surrogate: { shell: `printf '%s\\n' '{"schema_version":2,"status":"ok","values":{"document.title":"\\ud800"}}'` },
  // Output that is too much.
  'deep-65': { shell: 'held deep-65', without: 'deep-json' },
  'deep-5000': { shell: 'held deep-5000', without: 'deep-json' },
  'deep-100000': { shell: 'held deep-100000', without: 'deep-json' },
  wide: { shell: 'held wide', without: 'wide-answers' },
  huge: { shell: 'held huge', without: 'wide-answers' },
  // Descendants. The last one leaves the group, which is out of the server's reach: it must not hold up a call.
  grandchild: { shell: 'sleep 600 & note; real "$@"' },
  'deaf-grandchild': { shell: '(trap "" TERM INT HUP; exec sleep 600) & note; real "$@"' },
  'crash-grandchild': { shell: 'sleep 600 & note; kill -SEGV $$' },
  escaped: { shell: 'setsid sleep 3 & echo $! >> "$here/escaped"; real "$@"', without: 'escapes' },
};

/** What a command can be made to do by its mode, before it reads anything. */
const MODES = ['crash', 'panic', 'silent', 'hang', 'deaf', 'late', 'junk', 'half', 'null', 'exit-3', 'grandchild'];

/** The kinds of faults, without those of the scenarios named. */
export function faultKinds(without = new Set()) {
  return Object.keys(FAULTS).filter((kind) => !without.has('faults') && !without.has(FAULTS[kind].without));
}

/** The kinds that fit a command's mode; deep JSON only where the command's answer is read as a whole. */
export function modeKinds(command, without = new Set()) {
  const kinds = new Set(faultKinds(without));
  const deep = command === 'formats' || command === 'schema' ? ['deep-5000'] : [];
  return [...MODES, ...deep].filter((kind) => kinds.has(kind));
}

/** Whether a call has the engine print more than an answer may take, or without end. */
export function isLarge(args) {
  return /fault-(endless|huge)/.test(JSON.stringify(args ?? null));
}

/** Writes what the faults print into a folder: once a run, since some of it is large. */
export function writePayload(folder) {
  const nested = (depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const report = (rest) => `${REPORT.slice(0, -1)},${rest}}\n`;
  const title = (length) => report(`"values":{"document.title":"${'t'.repeat(length)}"}`);
  const payload = {
    'deep-65': report(`"values":${nested(65)}`),
    'deep-5000': report(`"values":${nested(5000)}`),
    'deep-100000': report(`"values":${nested(100_000)}`),
    wide: title(480_000),
    huge: title(12_000_000),
    binary: Uint8Array.from({ length: 3000 }, (_, at) => (at * 7919 + (at >> 3)) % 256),
  };
  for (const [name, content] of Object.entries(payload)) writeFileSync(path.join(folder, name), content);
}

/**
 * Writes the executable for DECKPROBE_MCP_BIN into a folder. Each of its processes, and each child that a fault starts,
 * notes its id in the file `pids` there; what leaves its group notes it in `escaped`.
 */
export function writeEngine(folder, { engine, payload }) {
  const cases = Object.entries(FAULTS).map(([kind, { shell }]) => `    ${kind}) ${shell} ;;`);
  const script = `#!/bin/sh
ulimit -c 0
here=${quoted(folder)}
engine=${quoted(engine)}
echo $$ >> "$here/pids"
note() { echo $! >> "$here/pids"; }
held() { cat ${quoted(payload)}/"$1"; }
real() {
  if [ -n "$record" ]; then printf '%s\\n' "$record" | "$engine" "$@"; else "$engine" "$@"; fi
}
# Takes the arguments of the engine and does what a fault, or else the engine, does with them.
answer() {
  case $kind in
${cases.join('\n')}
    *) real "$@" ;;
  esac
}
record=
kind=
all="$*"
if [ -r "$here/mode-$1" ]; then read -r kind < "$here/mode-$1"; fi
if [ -z "$kind" ] && [ "$1" = --jsonl ]; then
  input=$(cat)
  case $input in *fault-*) ;; *) printf '%s\\n' "$input" | "$engine" "$@"; exit ;; esac
  while IFS= read -r record; do
    kind=
    case $record in *fault-*) kind=\${record##*fault-}; kind=\${kind%%.*} ;; esac
    answer "$@"
  done <<END
$input
END
  exit
fi
case $all in *fault-*) if [ -z "$kind" ]; then kind=\${all##*fault-}; kind=\${kind%%.*}; fi ;; esac
if [ -z "$kind" ]; then exec "$engine" "$@"; fi
answer "$@"
`;
  const file = path.join(folder, 'deckprobe');
  writeFileSync(file, script, { mode: 0o755 });
  return file;
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
