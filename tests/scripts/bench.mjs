// Measures the built server against the bare engine, both in one interleaved run, and prints medians with their
// spread. With --check it ends with status 1 when a ratio or the memory is over its bound; --json prints JSON;
// --long adds 10,000 probes and tells whether memory grows.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pptx } from './fixtures/ooxml.mjs';
import { MAIN, runEngine } from './native.mjs';

const { values: flags } = parseArgs({
  options: { check: { type: 'boolean' }, json: { type: 'boolean' }, long: { type: 'boolean' } },
});

const folder = mkdtempSync(path.join(tmpdir(), 'deckprobe-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
/** A small deck, of twenty slides. */
const DECK = path.join(folder, 'deck.pptx');
writeFileSync(DECK, pptx(20));
const MINIMAL = fileURLToPath(new URL('./minimal-server.mjs', import.meta.url));
const PROBE = { name: 'probe', arguments: { path: DECK, targets: ['@summary'] } };
const BATCH = { name: 'probe_batch', arguments: { paths: Array(64).fill(DECK), targets: ['@summary'] } };
const FLOOD = 1200;
/** Probes before the first that counts: a server is fast once its code is compiled. */
const WARM_UP = 300;
const SPAWNERS = 4;
/** What --check demands: ratios to the bare engine or the minimal server, and MiB. */
const BOUNDS = { probe: 1.3, batch: 1.3, flood: 1.3, start: 1.12, idle: 80, leak: 0 };

/** A server and the least client: one JSON line a message. */
class Server {
  constructor(main) {
    this.child = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.waiting = new Map();
    this.id = 0;
    let rest = '';
    this.child.stdout.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) this.receive(JSON.parse(line));
    });
  }

  receive({ id, result }) {
    this.waiting.get(id)?.(result);
    this.waiting.delete(id);
  }

  request(method, params) {
    this.id += 1;
    const { id } = this;
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  }

  async initialize() {
    const clientInfo = { name: 'bench', version: '1.0.0' };
    const result = await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    return result;
  }

  async call(params) {
    const result = await this.request('tools/call', params);
    if (result?.isError) throw new Error(result.content[0].text);
    return result;
  }

  async close() {
    const closed = new Promise((resolve) => this.child.once('close', resolve));
    this.child.stdin.end();
    await closed;
  }

  /** Resident memory in MiB and open descriptors; undefined where the system does not tell. */
  usage() {
    if (process.platform !== 'linux') return { mib: undefined, descriptors: undefined };
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    const mib = Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
    return { mib: Math.round(mib * 10) / 10, descriptors: readdirSync(`/proc/${this.child.pid}/fd`).length };
  }
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Measures two ways in turn, so that a change of the machine's speed meets both. */
async function paired(rounds, ours, bare, warmUp = 1) {
  await times(warmUp, ours);
  await times(warmUp, bare);
  const taken = { ours: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    taken.ours.push(await timed(ours));
    taken.bare.push(await timed(bare));
  }
  return compare(taken);
}

function compare(taken) {
  const [ours, bare] = [spread(taken.ours), spread(taken.bare)];
  // Pair by pair: two measurements that follow each other met the same machine.
  const ratios = taken.ours.map((time, index) => time / taken.bare[index]);
  return { ours, bare, ratio: spread(ratios).median };
}

function spread(times) {
  const sorted = times.toSorted ? times.toSorted((a, b) => a - b) : [...times].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  return { median: round3(median), min: round3(sorted[0]), max: round3(sorted.at(-1)), runs: sorted.length };
}

const round3 = (value) => Math.round(value * 1000) / 1000;
const times = async (count, work) => {
  for (let index = 0; index < count; index += 1) await work();
};
const settled = () => new Promise((resolve) => setTimeout(resolve, 500));

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
  const result = { node: process.version, start: await measureStart(51) };
  const server = new Server(MAIN);
  const { instructions } = await server.initialize();
  const { tools } = await server.request('tools/list', {});
  const answer = await server.call(PROBE);
  await settled();
  const usage = { idle: server.usage() };

  const engineFlags = ['--targets=@summary'];
  // Both ways end with the report as an object, which is what one asks for.
  const bareProbe = async () => JSON.parse((await runEngine([...engineFlags, '--', DECK])).stdout);
  result.probe = await paired(600, () => server.call(PROBE), bareProbe, WARM_UP);
  const records = `${JSON.stringify({ path: DECK })}\n`.repeat(64);
  const batchFlags = ['--jsonl', ...engineFlags, '--view=values'];
  const bareBatch = async () => {
    const { stdout } = await runEngine(batchFlags, records);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  result.batch = await paired(80, () => server.call(BATCH), bareBatch, 10);
  await times(1000, () => server.call(PROBE));
  await settled();
  usage.after1000 = server.usage();
  const spawner = () => times(FLOOD / SPAWNERS, bareProbe);
  result.flood = await paired(
    7,
    () => Promise.all(Array.from({ length: FLOOD }, () => server.call(PROBE))),
    () => Promise.all(Array.from({ length: SPAWNERS }, spawner)),
  );
  await settled();
  usage.afterFlood = server.usage();
  if (flags.long) {
    await times(10_000, () => server.call(PROBE));
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
  return result;
}

function print({ node, usage, bytes, ...measured }) {
  console.log(`Node.js ${node}. Times in milliseconds: median (least to most).\n`);
  const cell = ({ median, min, max, runs }) => `${median} (${min} to ${max}), ${runs} runs`;
  const named = {
    start: 'to the initialize answer',
    probe: 'probe',
    batch: `probe_batch of 64`,
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
