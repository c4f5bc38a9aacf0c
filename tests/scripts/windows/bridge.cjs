// The engine's command line over the Linux engine, for Windows' Node under Wine: bridge.cjs PREFIX ENGINE ARGUMENTS…
// PREFIX is the Unix path of the Wine prefix. A Linux process cannot use the pipes of a Windows one, so its streams are
// files in a folder, and it has ended when the file "status" is there.
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const [prefix, engine, ...args] = process.argv.slice(2);

/** A Windows path as Wine's Unix path; anything else as it is. */
function toUnix(text) {
  const [, drive, rest] = /^(?:\\\\\?\\)?([a-z]):[\\/](.*)$/is.exec(text) ?? [];
  if (drive === undefined) return text;
  const slashes = rest.replaceAll('\\', '/');
  return drive.toLowerCase() === 'z' ? `/${slashes}` : `${prefix}/dosdevices/${drive.toLowerCase()}:/${slashes}`;
}

/** A word of a shell script. */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function write(fd, bytes) {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at);
}

/** The records of stdin, and the paths in them: as they came, and as the engine gets them. */
function translateRecords() {
  const paths = [];
  const lines = fs
    .readFileSync(0, 'utf8')
    .split('\n')
    .map((line) => {
      let record;
      try {
        record = JSON.parse(line);
      } catch {
        return line;
      }
      paths.push([record.path, toUnix(record.path)]);
      return JSON.stringify({ ...record, path: toUnix(record.path) });
    });
  return { input: lines.join('\n'), paths };
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bridge-'));
const file = (name) => path.join(folder, name);
const { input, paths } = args.includes('--jsonl') ? translateRecords() : { input: '', paths: [] };
fs.writeFileSync(file('in'), input);
const command = [engine, ...args.map(toUnix)].map(quote).join(' ');
fs.writeFileSync(
  file('run'),
  `cd ${quote(toUnix(folder))}\n${command} <in >out 2>err\necho $? >ended\nmv ended status\n`,
);
// A link to the shell: Windows' Node starts no file without an extension. Detached, since a Linux process can be put into no
// job.
spawn('C:\\sh.exe', [toUnix(file('run'))], { stdio: 'ignore', detached: true }).on('error', (error) => {
  throw error;
});

const waiting = setInterval(() => {
  if (!fs.existsSync(file('status'))) return;
  clearInterval(waiting);
  finish();
}, 5);

function finish() {
  // The engine echoes the path of a record that it refuses.
  const lines = fs.readFileSync(file('out'), 'utf8').split('\n');
  const answers = lines.map((line, index) => {
    const [windows, unix] = paths[index] ?? [];
    return windows === undefined
      ? line
      : line.replace(`"path":${JSON.stringify(unix)}`, () => `"path":${JSON.stringify(windows)}`);
  });
  write(1, Buffer.from(answers.join('\n')));
  write(2, fs.readFileSync(file('err')));
  const status = Number(fs.readFileSync(file('status'), 'utf8'));
  fs.rmSync(folder, { recursive: true, force: true });
  // The end of the Linux process is never told.
  process.exit(status);
}
