// Starts the built server and compares its answer for every document under a folder, alone and in batches, with the
// engine's own answer for the same flags. Ends with status 1 when any differs.
// Usage: npm run sweep -- DIR [--level L] [--targets T]... [--view V] [--min-confidence C]
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { probeFlags } from '../../dist/engine/flags.js';
import { connectServer, runEngine } from './native.mjs';

const EXTENSIONS = /\.(pdf|do[ct][xm]?|xl[st][xmb]?|pp[st][xm]?|pot[xm]|key|numbers|pages)$/i;
const BATCH = 32;
/** Calls under way at once. */
const WIDTH = 4;
const SLOWEST = 10;
/** An engine whose answers differ from run to run is asked this often before a difference counts as the server's. */
const RETRIES = 5;

class Sweep {
  documents = 0;
  equal = 0;
  inBatches = { compared: 0, equal: 0 };
  /** Answers that a tool result cannot hold, with the engine's own size. */
  withheld = 0;
  unsteady = new Set();
  differences = [];
  outcomes = new Map();
  times = [];
  crashes = 0;
  restarts = 0;
  stopped = false;

  constructor(files, options) {
    this.files = files;
    this.options = options;
    this.flags = probeFlags(options);
  }

  async run() {
    process.once('SIGINT', () => {
      this.stopped = true;
    });
    await this.connect();
    await inParallel(this.files, WIDTH, (file) => this.stopped || this.single(file));
    for (let from = 0; from < this.files.length && !this.stopped; from += BATCH)
      await this.batch(this.files.slice(from, from + BATCH));
    progress('');
    this.closing = true;
    await this.session.client.close();
  }

  async connect() {
    this.session = await connectServer({
      onClose: () => {
        if (this.stopped || this.closing) return;
        this.restarts += 1;
        this.session = undefined;
      },
    });
  }

  /** The answer to a call, or undefined when the server ended before it: at Ctrl-C, which it is sent as well, or by itself. */
  async call(name, args) {
    if (this.session === undefined) await this.connect();
    return this.session.client.callTool({ name, arguments: args }).catch(() => undefined);
  }

  async single(file) {
    const started = performance.now();
    const answer = await this.call('probe', { path: file, ...this.options });
    if (answer === undefined) return this.unanswered(file);
    const { content } = answer;
    // An error's hint is the server's own: the envelope is what has to be the engine's, in the text as well.
    const { hint, ...structuredContent } = answer.structuredContent;
    this.times.push({ file, ms: performance.now() - started });
    this.documents += 1;
    progress(`${this.documents} of ${this.files.length} documents`);
    const code = structuredContent.error?.code;
    count(this.outcomes, code ?? structuredContent.status);
    if (code === 'MCP_ENGINE_FAILURE') this.crashes += 1;
    const [text, advice] = content[0].text.split('\nHint: ');
    const agrees = isDeepStrictEqual(JSON.parse(text), structuredContent) && advice === hint;
    const own = async () => (await runEngine([...this.flags, '--', file])).stdout;
    const same = agrees && (await this.same(file, structuredContent, own));
    if (same) this.equal += 1;
    else if (!this.stopped) this.differences.push(`${file} (alone)`);
  }

  unanswered(what) {
    if (!this.stopped) this.differences.push(`${what} (no answer)`);
  }

  async batch(files) {
    progress(`batches: ${this.inBatches.compared} of ${this.files.length} documents`);
    const answer = await this.call('probe_batch', { paths: files, ...this.options });
    if (answer === undefined) return this.unanswered(`a batch from ${files[0]} on`);
    const records = files.map((file) => `${JSON.stringify({ path: file })}\n`);
    const lines = (await runEngine(['--jsonl', ...this.flags], records.join(''))).stdout.split('\n');
    for (const [index, { report }] of answer.structuredContent.reports.entries()) {
      const again = async () => (await runEngine(['--jsonl', ...this.flags], records[index])).stdout;
      let first = lines[index];
      const own = async () => {
        const text = first ?? (await again());
        first = undefined;
        return text;
      };
      const same = await this.same(files[index], report, own);
      if (this.stopped) return;
      this.inBatches.compared += 1;
      if (same) this.inBatches.equal += 1;
      else this.differences.push(`${files[index]} (in a batch)`);
    }
  }

  /** Whether an answer is one that the engine gives. */
  async same(file, answer, own) {
    const seen = new Set();
    for (let attempt = 0; attempt < RETRIES; attempt += 1) {
      const text = await own();
      // At Ctrl-C the bare engine is sent the signal too, and may have printed nothing.
      if (this.stopped) return false;
      if (isDeepStrictEqual(JSON.parse(text), answer)) {
        if (attempt > 0) this.unsteady.add(file);
        return true;
      }
      // Twice its own size is what an answer takes as text and as structured content.
      if (answer.error?.code === 'MCP_OUTPUT_LIMIT') {
        this.withheld += 1;
        return true;
      }
      seen.add(text);
    }
    if (seen.size > 1) this.unsteady.add(file);
    return false;
  }

  print() {
    const { inBatches, times, files } = this;
    const rows = [
      ['documents', `${this.documents} of ${files.length}`],
      ['flags', this.flags.join(' ') || '(defaults)'],
      ['equal, alone', this.equal],
      ['equal, in batches', `${inBatches.equal} of ${inBatches.compared}`],
      ['withheld for their size', this.withheld],
      ['answered differently by the engine itself', this.unsteady.size],
      ['differences', this.differences.length],
      ...[...this.outcomes].sort().map(([outcome, number]) => [`outcome ${outcome}`, number]),
      ['engine crashes', this.crashes],
      ['server restarts', this.restarts],
    ];
    for (const [name, value] of rows) console.log(`${name.padEnd(44)}${value}`);
    console.log(`slowest ${SLOWEST}, milliseconds:`);
    const slowest = times.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
    for (const { file, ms } of slowest) console.log(`${ms.toFixed(1).padStart(10)}  ${path.basename(file)}`);
    for (const difference of this.differences) console.log(`DIFFERENT: ${difference}`);
    if (this.stopped) console.log('stopped before the end');
  }
}

function findDocuments(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && EXTENSIONS.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

async function inParallel(items, width, work) {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

function count(tally, key) {
  tally.set(key, (tally.get(key) ?? 0) + 1);
}

/** One line that is written over, on a terminal only. */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    level: { type: 'string' },
    targets: { type: 'string', multiple: true },
    view: { type: 'string', default: 'report' },
    'min-confidence': { type: 'string' },
  },
});
if (positionals.length !== 1) {
  console.error('Usage: npm run sweep -- DIR [--level L] [--targets T]... [--view V] [--min-confidence C]');
  process.exit(2);
}
const { level, targets, view, 'min-confidence': min_confidence } = values;
const sweep = new Sweep(findDocuments(path.resolve(positionals[0])), { level, targets, view, min_confidence });
await sweep.run();
sweep.print();
process.exitCode = sweep.differences.length + sweep.restarts > 0 ? 1 : 0;
