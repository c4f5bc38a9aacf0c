// The half on Linux of the engine's command line under Wine: bridge.mjs PREFIX ENGINE FOLDER, started by bridge.c.
// PREFIX is the Unix path of the Wine prefix. FOLDER, a Windows path, holds the arguments, each ended by a NUL, and stdin.
// Beside them it puts stdout, stderr and, when all is written, the exit status.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const MOST_OUTPUT = 256 * 1024 * 1024;

const [prefix, engine, folder] = process.argv.slice(2);

/** A Windows path as Wine's Unix path; anything else as it is. */
function toUnix(text) {
  const [, drive, rest] = /^(?:\\\\\?\\)?([a-z]):[\\/](.*)$/is.exec(text) ?? [];
  if (drive === undefined) return text;
  const slashes = rest.replaceAll('\\', '/');
  return drive.toLowerCase() === 'z' ? `/${slashes}` : `${prefix}/dosdevices/${drive.toLowerCase()}:/${slashes}`;
}

/** The records with Unix paths, and of each line the path as it came and as the engine gets it. */
function translate(records) {
  const paths = [];
  const lines = records.split('\n').map((line) => {
    try {
      const record = JSON.parse(line);
      paths.push([record.path, toUnix(record.path)]);
      return JSON.stringify({ ...record, path: toUnix(record.path) });
    } catch {
      paths.push(undefined);
      return line;
    }
  });
  return { input: lines.join('\n'), paths };
}

const file = (name) => path.join(toUnix(folder), name);
const args = fs.readFileSync(file('arguments'), 'utf8').split('\0').slice(0, -1);
const { input, paths } = translate(fs.readFileSync(file('stdin'), 'utf8'));
const { stdout, stderr, status } = spawnSync(engine, args.map(toUnix), {
  input,
  maxBuffer: MOST_OUTPUT,
  cwd: toUnix(folder),
});
// The engine echoes the path of a record that it refuses.
const answers = stdout
  .toString('utf8')
  .split('\n')
  .map((line, index) => {
    if (paths[index] === undefined) return line;
    const [windows, unix] = paths[index].map((each) => `"path":${JSON.stringify(each)}`);
    return line.replace(unix, () => windows);
  });
fs.writeFileSync(file('stdout'), answers.join('\n'));
fs.writeFileSync(file('stderr'), stderr);
fs.writeFileSync(file('ended'), String(status ?? 1));
fs.renameSync(file('ended'), file('status'));
