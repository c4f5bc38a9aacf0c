// Measures the built server against the bare engine, both in one interleaved run, and prints medians with their
// spread. With --check it ends with status 1 when a ratio or the memory is over its bound; --json prints JSON;
// --long adds 10,000 probes and tells whether memory grows; --peers DIR measures the peers installed there, too.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeDocuments } from './bench/documents.mjs';
import { measurePeers, printPeers } from './bench/peers.mjs';
import { Server } from './bench/server.mjs';
import { settled, spread, timed, times } from './bench/times.mjs';
import { MAIN, runEngine } from './native.mjs';

const { values: flags } = parseArgs({
  options: {
    check: { type: 'boolean' },
    json: { type: 'boolean' },
    long: { type: 'boolean' },
    peers: { type: 'string' },
  },
});

const folder = mkdtempSync(path.join(tmpdir(), 'deckprobe-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const DOCUMENTS = path.join(folder, 'documents');
mkdirSync(DOCUMENTS);
/** Documents of every format, damaged ones among them; each measurement goes through them in turn. */
const PATHS = writeDocuments(DOCUMENTS);
const pathFor = (index) => PATHS[index % PATHS.length];
const MINIMAL = fileURLToPath(new URL('./minimal-server.mjs', import.meta.url));
const probeOf = (file) => ({ name: 'probe', arguments: { path: file, targets: ['@summary'] } });
/** The deck whose answer's size is told. */
const DECK = path.join(DOCUMENTS, 'slides-20.pptx');
const BATCH = { name: 'probe_batch', arguments: { paths: PATHS, targets: ['@summary'] } };
const FLOOD = 1200;
/** Probes before the first that counts: about as many as an agent makes in a day. */
const WARM_UP = 60;
const SPAWNERS = 4;
/** What --check demands: ratios to the bare engine or the minimal server, and MiB. */
const BOUNDS = { probe: 1.3, batch: 1.3, flood: 1.3, start: 0.8, idle: 75, leak: 0 };

/** Measures two ways in turn, so that a change of the machine's speed meets both. */
async function paired(rounds, ours, bare, warmUp = 1) {
  await times(warmUp, ours);
  await times(warmUp, bare);
  const taken = { ours: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    taken.ours.push(await timed(() => ours(round)));
    taken.bare.push(await timed(() => bare(round)));
  }
  return compare(taken);
}

function compare(taken) {
  const [ours, bare] = [spread(taken.ours), spread(taken.bare)];
  // Pair by pair: two measurements that follow each other met the same machine.
  const ratios = taken.ours.map((time, index) => time / taken.bare[index]);
  return { ours, bare, ratio: spread(ratios).median };
}

/** From the start of a server's process to its answer to `initialize`; each is gone before the next one starts. */
async function measureStart(rounds) {
  const taken = { ours: [], bare: [] };
  for (let round = -1; round < rounds; round += 1) {
    for (const [whose, main] of [
      ['ours', MAIN],
      ['bare', MINIMAL],
    ]) {
      const started = performance.now();
      const server = new Server(main);
      await server.initialize();
      if (round >= 0) taken[whose].push(performance.now() - started);
      await server.close();
    }
  }
  return compare(taken);
}

async function run() {
  const load = loadavg();
  const result = { node: process.version, start: await measureStart(51) };
  const server = new Server(MAIN);
  const { instructions } = await server.initialize();
  const { tools } = await server.request('tools/list', {});
  const answer = await server.call(probeOf(DECK));
  await settled();
  const usage = { idle: server.usage() };

  const engineFlags = ['--targets=@summary'];
  // Both ways end with the report as an object, which is what one asks for.
  const bareProbe = async (index) => JSON.parse((await runEngine([...engineFlags, '--', pathFor(index)])).stdout);
  const probe = (index) => server.call(probeOf(pathFor(index)));
  result.probe = await paired(640, probe, bareProbe, WARM_UP);
  const records = PATHS.map((file) => `${JSON.stringify({ path: file })}\n`).join('');
  const batchFlags = ['--jsonl', ...engineFlags, '--view=values'];
  const bareBatch = async () => {
    const { stdout } = await runEngine(batchFlags, records);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  result.batch = await paired(80, () => server.call(BATCH), bareBatch, 10);
  await times(1000, probe);
  await settled();
  usage.after1000 = server.usage();
  const spawner = () => times(FLOOD / SPAWNERS, bareProbe);
  result.flood = await paired(
    7,
    () => Promise.all(Array.from({ length: FLOOD }, (_, index) => probe(index))),
    () => Promise.all(Array.from({ length: SPAWNERS }, spawner)),
  );
  await settled();
  usage.afterFlood = server.usage();
  if (flags.long) {
    await times(10_000, probe);
    await settled();
    usage.after10000 = server.usage();
  }
  await server.close();
  result.usage = usage;
  result.bytes = {
    'tools/list': Buffer.byteLength(JSON.stringify({ tools })),
    instructions: Buffer.byteLength(instructions),
    'a probe of @summary': Buffer.byteLength(JSON.stringify(answer)),
  };
  if (flags.peers !== undefined) result.peers = await measurePeers(flags.peers, DOCUMENTS);
  result.load = [load, loadavg()].map(([minute]) => Math.round(minute * 10) / 10);
  return result;
}

function print({ node, usage, bytes, peers, load, ...measured }) {
  console.log(
    `Node.js ${node}. Load ${load.join(' before, ')} after. Times in milliseconds: median (least to most).\n`,
  );
  const cell = ({ median, min, max, runs }) => `${median} (${min} to ${max}), ${runs} runs`;
  const named = {
    start: 'to the initialize answer',
    probe: 'probe',
    batch: 'probe_batch of 64',
    flood: `${FLOOD} probes at once`,
  };
  for (const [name, { ours, bare, ratio }] of Object.entries(measured)) {
    console.log(
      `${named[name].padEnd(26)} ${String(ratio).padStart(6)} times ${name === 'start' ? 'a minimal server' : 'the bare engine'}`,
    );
    console.log(`  ${'this server'.padEnd(16)} ${cell(ours)}`);
    console.log(`  ${(name === 'start' ? 'minimal server' : 'bare').padEnd(16)} ${cell(bare)}`);
  }
  console.log();
  for (const [when, { mib, descriptors }] of Object.entries(usage))
    console.log(`${when.padEnd(12)} ${String(mib).padStart(7)} MiB resident, ${descriptors} descriptors`);
  console.log();
  for (const [what, count] of Object.entries(bytes)) console.log(`${what.padEnd(22)} ${count} bytes`);
  if (peers !== undefined) printPeers(peers);
}

function misses({ usage, ...measured }) {
  const over = ['start', 'probe', 'batch', 'flood'].filter((name) => measured[name].ratio > BOUNDS[name]);
  const found = over.map((name) => `${name}: ${measured[name].ratio}, at most ${BOUNDS[name]}`);
  if (usage.idle.mib > BOUNDS.idle) found.push(`idle: ${usage.idle.mib} MiB, at most ${BOUNDS.idle}`);
  const leaked = usage.afterFlood.descriptors - usage.idle.descriptors;
  if (leaked > BOUNDS.leak) found.push(`${leaked} descriptors more after the flood`);
  return found;
}

const result = await run();
if (flags.json) console.log(JSON.stringify(result, null, 2));
else print(result);
if (flags.check) {
  const found = misses(result);
  for (const miss of found) console.error(`over the bound: ${miss}`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
