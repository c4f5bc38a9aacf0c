// Runs real clients, in pinned versions that it installs into a temporary folder, against the built server, and prints
// what each got. Status 1 when anything is not as it should be. Needs npm's registry, no account and no model.
//   npm run clients                          all of them
//   npm run clients -- mastra genkit         some of them
//   npm run clients -- --keep FOLDER         installs there, or uses what a run before has installed
//   npm run clients -- --write               puts the table of a good run into docs/clients.md
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clientNode } from './clients/install.mjs';
import { start, stopAll } from './clients/processes.mjs';
import { isGood, toMarkdown, writeBetween } from './clients/report.mjs';
import { runClient } from './clients/run.mjs';
import { CLIENTS, CONFORMANCE } from './clients/table.mjs';

/** Clients that are installed and run at once. */
const AT_ONCE = 2;
const PAGE = fileURLToPath(new URL('../../docs/clients.md', import.meta.url));
const ALL = [...CLIENTS, CONFORMANCE];

const { values: flags, positionals } = parseArgs({
  options: { keep: { type: 'string' }, write: { type: 'boolean' } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !ALL.some((client) => client.name === name));
if (process.platform === 'win32') refuse('it needs process groups, which Windows has not');
else if (unknown.length > 0)
  refuse(`no client ${unknown.join(', ')}; there are ${ALL.map(({ name }) => name).join(', ')}`);
else if (flags.write && positionals.length > 0) refuse('--write needs a run of all clients');
else await main();

function refuse(reason) {
  console.error(`clients: ${reason}`);
  process.exitCode = 2;
}

async function main() {
  const folder = mkdtempSync(path.join(tmpdir(), 'deckprobe-clients-'));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      stop.abort();
      stopAll();
    });
  try {
    const rows = await runAll(folder, stop.signal);
    const report = toMarkdown(rows);
    console.log(`\n${report}\n`);
    for (const { client, failure } of rows) if (failure) console.error(`${client.name}: ${failure}\n`);
    process.exitCode = rows.every(isGood) ? 0 : 1;
    if (!flags.write) return;
    if (process.exitCode === 0) writeBetween(PAGE, 'clients', report);
    else console.error('docs/clients.md is left as it was');
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    console.error('clients: stopped');
    process.exitCode = 1;
  } finally {
    await remove(folder);
  }
}

function remove(folder) {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function runAll(folder, signal) {
  const installations = flags.keep ? path.resolve(flags.keep) : path.join(folder, 'installations');
  const scratch = path.join(folder, 'scratch');
  for (const each of [installations, scratch]) mkdirSync(each, { recursive: true });
  const node = await clientNode(path.join(installations, 'node'), start);
  const chosen = ALL.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const waiting = [...chosen];
  const rows = new Map();
  const work = async () => {
    for (let client = waiting.shift(); client && !signal.aborted; client = waiting.shift()) {
      const began = Date.now();
      rows.set(client, await runClient(client, { installations, scratch, node }));
      // Installations take hundreds of megabytes, and time to remove, which others can run in.
      if (!flags.keep) await remove(path.join(installations, client.name));
      const verdict = rows.get(client).every(isGood) ? 'as it should be' : 'not as it should be';
      console.error(`${client.name}: ${verdict}, ${((Date.now() - began) / 1000).toFixed(0)} s`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  signal.throwIfAborted();
  return chosen.flatMap((client) => rows.get(client));
}
