import { EventEmitter, once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Output } from '../../src/stdio/output.js';
import { initialize, type Server, sendCall, sendProbe, startBin } from '../helpers/bin.js';
import { fakeEngine, playedEngine, TINY_REPORT } from '../helpers/engines.js';
import { temporaryFolder, writeFile } from '../helpers/files.js';
import { peakMemory } from '../helpers/memory.js';

const MIB = 1024 * 1024;
/** An engine whose report makes an answer of nearly 1,000,000 bytes. */
const LARGE = largeReport(480_000);

/** A program that prints a report with a text of so many characters. */
function largeReport(characters: number): string {
  return `print(JSON.stringify({ ...JSON.parse(REPORT), x: '0'.repeat(${characters}) }));`;
}

/** What the server said to its operator since it was asked last, once `count` lines hold `text`. */
async function told(stderr: string[], text: string, count: number): Promise<void> {
  const seen = () =>
    stderr
      .join('')
      .split('\n')
      .filter((line) => line.includes(text)).length;
  await expect.poll(seen, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
}

/** In place of the messages themselves, which take a gigabyte here, keeps each answer's id and whether it is a report. */
function keepOutcomes({ child }: Server) {
  const outcomes = new Map<number, 'ok' | 'other'>();
  const changed = new EventEmitter();
  child.stdout.removeAllListeners('data');
  createInterface(child.stdout).on('line', (line) => {
    const [, id] = /"id":(\d+)\}$/.exec(line.slice(-40)) ?? [];
    if (outcomes.has(Number(id))) throw new Error(`answered twice: ${id}`);
    outcomes.set(Number(id), line.includes('"structuredContent":{"schema_version":2,') ? 'ok' : 'other');
    changed.emit('line');
  });
  const answered = async (count: number) => {
    while (outcomes.size < count) await once(changed, 'line');
  };
  return { outcomes, answered };
}

/** A count once it has stayed the same for two seconds. */
async function steady(count: () => number): Promise<number> {
  let seen = { count: count(), since: performance.now() };
  const unchanged = () => {
    if (count() !== seen.count) seen = { count: count(), since: performance.now() };
    return performance.now() - seen.since;
  };
  await expect.poll(unchanged, { timeout: 30_000, interval: 100 }).toBeGreaterThan(2000);
  return seen.count;
}

describe('a client that stops reading', () => {
  it('holds engine work back, keeps memory small, and gets every answer when it reads again', {
    timeout: 180_000,
  }, async () => {
    // As many answers as would take 400 MB.
    const calls = 400;
    const large = playedEngine(LARGE);
    const server = startBin([], { DECKPROBE_MCP_BIN: large.bin, DECKPROBE_MCP_TIMEOUT_MS: '170000' });
    await initialize(server);
    const { outcomes, answered } = keepOutcomes(server);
    server.child.stdout.pause();
    for (let id = 1; id <= calls; id += 1) sendProbe(server, id);
    // The queue stops moving, far from its end.
    const started = await steady(() => large.starts().length);
    expect(started).toBeGreaterThan(1);
    expect(started).toBeLessThan(40);
    // What needs no engine is taken all the while.
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: calls } });
    server.send({ jsonrpc: '2.0', id: calls + 1, method: 'ping' });
    server.child.stdout.resume();
    await answered(calls);
    // All of the calls but the one that was cancelled, and the ping.
    const expected = new Map(Array.from({ length: calls - 1 }, (_, at) => [at + 1, 'ok']));
    expect(new Map([...outcomes].sort(([a], [b]) => a - b))).toEqual(expected.set(calls + 1, 'other'));
    expect(large.starts()).toHaveLength(calls);
    expect(peakMemory(server.child.pid)).toBeLessThan(300 * MIB);
  });

  it('is told at the deadline what its calls were waiting for', { timeout: 60_000 }, async () => {
    const large = playedEngine(LARGE);
    const server = startBin([], { DECKPROBE_MCP_BIN: large.bin, DECKPROBE_MCP_TIMEOUT_MS: '3000' });
    await initialize(server);
    sendProbe(server, 1);
    await server.answer(1);
    server.child.stdout.pause();
    for (let id = 2; id <= 60; id += 1) sendProbe(server, id);
    await told(server.stderr, 'MCP_TIMEOUT', 40);
    server.child.stdout.resume();
    await Promise.all(Array.from({ length: 59 }, (_, at) => server.answer(at + 2)));
    const messages = server.messages.map((each) => JSON.stringify(each)).filter((each) => each.includes('MCP_TIMEOUT'));
    expect(messages.length).toBeGreaterThanOrEqual(40);
    for (const each of messages) expect(each).toContain('waiting for the client to read');
  });

  it('gets catalogues no faster than it reads them', { timeout: 90_000 }, async () => {
    const fake = playedEngine(`if (args[0] === 'formats') ${largeReport(400_000)} else print(REPORT);`);
    const server = startBin([], { DECKPROBE_MCP_BIN: fake.bin, DECKPROBE_MCP_TIMEOUT_MS: '100000' });
    await initialize(server);
    sendCall(server, 1, 'list_formats', {});
    await server.answer(1);
    server.child.stdout.pause();
    for (let id = 2; id <= 301; id += 1) sendCall(server, id, 'list_formats', {});
    server.child.stdout.resume();
    await Promise.all(Array.from({ length: 300 }, (_, at) => server.answer(at + 2)));
    expect(peakMemory(server.child.pid)).toBeLessThan(300 * MIB);
  });

  // By a shell engine, which is quick; only Linux tells how much memory a process has held at most.
  it.runIf(process.platform === 'linux')(
    'and then takes five hundred large answers, eight engines at once, costs little memory',
    {
      timeout: 180_000,
    },
    async () => {
      const report = writeFile(
        path.join(temporaryFolder(), 'report.json'),
        JSON.stringify({ ...JSON.parse(TINY_REPORT), x: '0'.repeat(480_000) }),
      );
      const { bin } = fakeEngine(`cat '${report}'`);
      const limits = { DECKPROBE_MCP_TIMEOUT_MS: '170000', DECKPROBE_MCP_MAX_CONCURRENCY: '8' };
      const server = startBin([], { DECKPROBE_MCP_BIN: bin, ...limits });
      await initialize(server);
      const { outcomes, answered } = keepOutcomes(server);
      for (let round = 0; round < 2; round += 1) {
        server.child.stdout.pause();
        for (let id = 1; id <= 250; id += 1) sendProbe(server, round * 250 + id);
        server.child.stdout.resume();
        await answered((round + 1) * 250);
      }
      expect(new Set(outcomes.values())).toEqual(new Set(['ok']));
      // What they leave behind is collected long before V8 would by itself: it took 275 to 334 MiB.
      expect(peakMemory(server.child.pid)).toBeLessThan(220 * MIB);
    },
  );

  it('is not read from without end', async () => {
    const server = startBin();
    await initialize(server);
    server.child.stdout.pause();
    const count = 30_000;
    const pings = Array.from({ length: count }, (_, at) => `{"jsonrpc":"2.0","id":"p${at}","method":"ping"}\n`);
    // In pieces, since Windows hands on as one what was written as one.
    const pieces = Array.from({ length: 30 }, () => pings.splice(0, 1000).join(''));
    let taken = 0;
    const writing = (async () => {
      for (const piece of pieces) {
        await new Promise((resolve) => server.child.stdin.write(piece, resolve));
        taken += 1;
      }
    })();
    // Most of it is left with the client until that reads.
    expect(await steady(() => taken)).toBeLessThan(pieces.length / 2);
    server.child.stdout.resume();
    await writing;
    sendProbe(server, 1);
    expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
    expect(new Set(server.messages.map(({ id }) => id)).size).toBe(count + 2);
  });
});

describe('the output', () => {
  it('lets one go at a turn, in order, while there is room, and those that give up at once', async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    const output = new Output(stream);
    const { signal } = new AbortController();
    expect(await output.ready(signal)).toBe(true);
    const writes = [output.write('x'.repeat(5 * MIB)), output.write('x')];
    expect(output.blocked).toBe(true);
    const order: string[] = [];
    const impatient = new AbortController();
    const waiting = ['first', 'gives up', 'second'].map((name) =>
      output.ready(name === 'gives up' ? impatient.signal : signal).then((ready) => order.push(`${name} ${ready}`)),
    );
    impatient.abort();
    await waiting[1];
    expect(order).toEqual(['gives up false']);
    stream.resume();
    await Promise.all([...writes, ...waiting]);
    expect(order).toEqual(['gives up false', 'first true', 'second true']);
    expect(output.blocked).toBe(false);
  });

  it('is of no use to a call that has ended already', async () => {
    expect(await new Output(new PassThrough()).ready(AbortSignal.abort())).toBe(false);
  });
});
