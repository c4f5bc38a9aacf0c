// Stands in for the package @deckflow/deckprobe where it cannot be installed: its Node surface, with the native engine's
// answers. The installation that a test assembles has the engine's path in engine.json beside this file.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ENGINE = JSON.parse(readFileSync(new URL('./engine.json', import.meta.url), 'utf8'));

const FLAGS = {
  maxPhysicalBytes: '--probe-size',
  maxExpandedBytes: '--max-expanded-bytes',
  maxArchiveEntries: '--max-archive-entries',
  timeoutMs: '--timeout-ms',
};

function ask(args, input) {
  const { stdout } = spawnSync(ENGINE, args, { encoding: 'utf8', input, maxBuffer: 256 * 1024 * 1024 });
  return JSON.parse(stdout);
}

function toFlags({ targets = [], level, minimumConfidence, targetConfidence = {}, budget = {} }) {
  if (targets.some((target) => target.includes(',')))
    throw new TypeError('this engine does not split targets at commas');
  return [
    ...targets.map((target) => `--targets=${target}`),
    ...(level ? [`--probe-level=${level}`] : []),
    ...(minimumConfidence ? [`--minimum-confidence=${minimumConfidence}`] : []),
    ...Object.entries(targetConfidence).map(([target, value]) => `--target-confidence=${target}=${value}`),
    ...Object.entries(budget).map(([field, value]) => `${FLAGS[field]}=${value}`),
  ];
}

export async function probe(bytes, options) {
  if (!options.name?.includes('.')) throw new TypeError('a name with an extension is needed');
  if (!(bytes instanceof Uint8Array)) throw new TypeError('bytes are needed');
  // The real engine is synchronous: what hangs in it hangs the whole process.
  if (options.name.startsWith('hang')) for (;;);
  if (options.name.startsWith('crash')) throw new WebAssembly.RuntimeError('unreachable');
  if (options.name.startsWith('abort')) process.abort();
  const folder = mkdtempSync(path.join(tmpdir(), 'deckprobe-stand-in-'));
  try {
    const file = path.join(folder, 'document');
    writeFileSync(file, bytes);
    const record = JSON.stringify({ path: file, name: options.name });
    const { input, ...answer } = ask(['--jsonl', ...toFlags(options)], `${record}\n`);
    if (answer.status === 'error') return answer;
    return { ...answer, input: { ...input, source_kind: options.sourceKind ?? 'node_bytes' } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const formats = async () => ask(['formats']);
export const targets = async (format) => ask(['targets', `--format=${format}`]);
export const schema = async () => ask(['schema']);
export const version = async () => (await formats()).tool_version;
