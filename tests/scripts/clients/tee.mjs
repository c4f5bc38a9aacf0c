// Stands between a client and the server: passes every byte both ways untouched, and notes in a file of its own what
// was negotiated and answered. Called as: node tee.mjs FOLDER MAIN
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import path from 'node:path';

const [, , folder, main] = process.argv;
const file = path.join(folder, `${process.pid}.jsonl`);
const note = (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`);

const server = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'inherit'] });
note({ pid: server.pid });

process.stdin.pipe(server.stdin);
server.stdout.pipe(process.stdout);
eachMessage(process.stdin, noteRequest);
eachMessage(server.stdout, noteAnswer);
// Either side may be gone first; the exit of the server ends this process.
for (const stream of [process.stdin, process.stdout, server.stdin]) stream.on('error', () => server.kill());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal));
server.on('exit', (code) => process.exit(code ?? 1));

/** Requests of which the answer is noted, by their id. */
const asked = new Map();

function noteRequest({ id, method, params }) {
  if (method === undefined || id === undefined) return;
  const revision = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  asked.set(id, { method, revision });
}

function noteAnswer({ id, result, error }) {
  const { method, revision } = asked.get(id) ?? {};
  asked.delete(id);
  if (method === 'initialize') note({ method, revision: result?.protocolVersion });
  else if (method === 'tools/call') note({ method, ...(revision && { revision }), result, error });
  else if (method !== undefined) note({ method, ...(revision && { revision }) });
}

function eachMessage(stream, receive) {
  let rest = '';
  const decoder = new TextDecoder();
  stream.on('data', (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      try {
        receive(Object(JSON.parse(line)));
      } catch {
        note({ broken: line.slice(0, 200) });
      }
    }
  });
}
