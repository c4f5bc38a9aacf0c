// Installs one client, runs it against the built server as often as the table says, and judges what it saw.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';
import { judge } from './judge.mjs';
import { exchange, leftOvers, start } from './processes.mjs';
import { readRecord } from './record.mjs';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const MAIN = path.join(PROJECT, 'dist', 'main.js');
const DECK = path.join(PROJECT, 'tests', 'fixtures', 'deck.pptx');
const TEE = fileURLToPath(new URL('./tee.mjs', import.meta.url));
const DRIVERS = fileURLToPath(new URL('./drivers/', import.meta.url));

/** Switches off what clients would otherwise send home or look for. */
const QUIET = {
  CI: '1',
  NO_COLOR: '1',
  DO_NOT_TRACK: '1',
  OPENAI_AGENTS_DISABLE_TRACING: '1',
  MASTRA_TELEMETRY_DISABLED: '1',
};

/**
 * Runs a client of the table. `places` has the folder for installations, one for what a run writes, and the Node that
 * clients run on. Resolves to a row a run: `{ cells, failure }`, or for the conformance suite `{ passed, failure }`.
 */
export async function runClient(client, places) {
  const folder = path.join(places.installations, client.name);
  try {
    await install(folder, client.install, places.node, start);
  } catch (error) {
    return client.runs.map((run) => rowOf(client, run, { failure: error.message }, emptyRecord()));
  }
  const drivers = path.join(folder, 'drivers');
  rmSync(drivers, { recursive: true, force: true });
  cpSync(DRIVERS, drivers, { recursive: true });
  const rows = [];
  for (const run of client.runs) rows.push(await runOnce(client, run, { ...places, folder, drivers }));
  return rows;
}

async function runOnce(client, run, { folder, drivers, scratch, node }) {
  const own = mkdtempSync(path.join(scratch, `${client.name}-`));
  const [record, home] = ['record', 'home'].map((name) => path.join(own, name));
  for (const each of [record, home]) mkdirSync(each);
  const base = { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: own };
  const task = {
    server: { command: process.execPath, args: [TEE, record, MAIN], env: base },
    good: { name: 'probe', arguments: { path: DECK, targets: ['slide_count'], view: 'values' } },
    bad: { name: 'probe', arguments: { path: path.join(own, 'missing.pptx') } },
    scratch: own,
    ...run,
  };
  const options = { cwd: folder, execPath: node, env: { ...base, ...QUIET } };
  let left = [];
  const afterwards = async () => {
    left = await leftOvers(readRecord(record).pids);
  };
  let outcome;
  try {
    const message = { driver: client.driver ?? client.name, task };
    outcome = await exchange(path.join(drivers, 'start.mjs'), message, options, afterwards);
  } catch (error) {
    outcome = { failure: error.message };
  }
  const seen = readRecord(record);
  const troubles = [
    outcome.failure,
    ...(outcome.seen?.troubles ?? []),
    left.length > 0 ? `${left.length} of its servers had to be stopped` : undefined,
    seen.broken.length > 0 ? `lines that are no JSON: ${seen.broken.join(' ')}` : undefined,
  ];
  return rowOf(client, run, { ...outcome, failure: troubles.filter(Boolean).join('\n') || undefined }, seen);
}

function rowOf(client, run, { seen, failure }, record) {
  const result = run.scenarios ? { passed: seen?.passed ?? [] } : { cells: judge(run, seen, record) };
  return { client, run, failure, ...result };
}

function emptyRecord() {
  return { connected: false, revisions: [], hint: undefined };
}
