import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { initialize, type Server, sendCall, sendProbe, startBin } from '../helpers/bin.js';
import { call, connect } from '../helpers/clients.js';
import { allGone, fakeEngine, playedEngine } from '../helpers/engines.js';
import { fixture, temporaryFolder, writeFile } from '../helpers/files.js';

const DECK = fixture('deck.pptx');
const SLOTS = 4;

/** Keeps the processors busy, so that memory is freed late. */
function busyMachine(): void {
  for (let loop = 0; loop < 3; loop += 1) {
    const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
  }
}

/** The most memory that a server has had so far, MiB. */
function peakMib({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

function error({ result }: { result?: unknown }): { code?: string; message?: string } {
  const { structuredContent } = result as {
    structuredContent: { error?: object; reports?: { report: { error?: object } }[] };
  };
  return structuredContent.error ?? structuredContent.reports?.[0]?.report.error ?? {};
}

describe('an engine that prints without end, on a busy machine', () => {
  // Only Linux tells how much memory a process has held at most. So for the last test.
  it.runIf(process.platform === 'linux').each([
    ['bytes', 'exec cat /dev/zero', /more than 16 MiB/],
    ['bytes, deaf to SIGTERM', `trap '' TERM; while :; do cat /dev/zero; done`, /more than 16 MiB/],
    ['lines', 'exec yes', /more than 16 MiB|not a report/],
    ['complaints', 'cat /dev/zero >&2 & sleep 1; kill $!; exit 9', /exit status 9/],
  ])('%s: every call is answered, in less than 300 MiB', { timeout: 120_000 }, async (_, script, message) => {
    busyMachine();
    const fake = fakeEngine(script);
    const server = startBin([], { DECKPROBE_MCP_BIN: fake.bin, DECKPROBE_MCP_TIMEOUT_MS: '100000' });
    await initialize(server);
    for (let id = 1; id <= SLOTS; id += 1) sendProbe(server, id);
    for (let id = SLOTS + 1; id <= 2 * SLOTS; id += 1) sendCall(server, id, 'probe_batch', { paths: [DECK] });
    for (let id = 1; id <= 2 * SLOTS; id += 1)
      expect(error(await server.answer(id))).toMatchObject({
        code: 'MCP_ENGINE_FAILURE',
        message: expect.stringMatching(message),
      });
    expect(peakMib(server)).toBeLessThan(300);
    await allGone(fake.starts().map(({ pid }) => pid));
  });

  it('is stopped, however its output is cut into lines', async () => {
    const fake = playedEngine(`for (const _ of records()) print('\\0'.repeat(17_000_000));`);
    const { client } = await connect({ bin: fake.bin });
    const { value } = await call(client, 'probe_batch', { paths: [DECK, DECK] });
    const reports = value.reports as { report: object }[];
    const failure = { code: 'MCP_ENGINE_FAILURE', message: expect.stringContaining('more than 16 MiB') };
    expect(reports).toMatchObject([{ report: { error: failure } }, { report: { error: failure } }]);
  });
});

describe('a report that is far too large', () => {
  const report = (item: string, bytes: number) =>
    `{"status":"ok","values":[${Array.from({ length: bytes / (item.length + 1) }, () => item).join(',')}]}`;

  it.each([
    ['one text', `{"status":"ok","title":"${'\\"'.repeat(5_000_000)}"}`, 30_000_000],
    ['numbers', report('0', 10_000_000), 20_000_000],
    ['lists', report('[]', 15_000_000), 30_000_000],
  ])('of %s is refused with its size, alone and in a batch', async (_, text, size) => {
    const file = writeFile(path.join(temporaryFolder(), 'report.json'), `${text}\n`);
    const fake = playedEngine(`
      const report = fs.readFileSync(${JSON.stringify(file)}, 'utf8').trim();
      if (!args.includes('--jsonl')) print(report);
      else for (const _ of records()) print(report);`);
    const { client, log } = await connect({ bin: fake.bin });
    const single = await call(client, 'probe', { path: DECK });
    const batch = await call(client, 'probe_batch', { paths: [DECK, DECK] });
    const reports = batch.value.reports as { report: { error: unknown } }[];
    for (const failure of [single.value.error, ...reports.map((each) => each.report.error)]) {
      const { code, message } = failure as { code: string; message: string };
      expect(code).toBe('MCP_OUTPUT_LIMIT');
      const named = Number(/takes (\d+) bytes/.exec(message)?.[1]);
      expect(Math.abs(named - size)).toBeLessThan(1000);
    }
    expect(single.hint).toContain('fewer targets');
    // One process for the batch: such a line is an answer, if one that cannot be sent.
    expect(fake.starts()).toHaveLength(3);
    expect(log.filter((line) => line.includes('MCP_'))).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'takes less than 300 MiB, whatever it is made of',
    { timeout: 120_000 },
    async () => {
      busyMachine();
      const file = writeFile(path.join(temporaryFolder(), 'report.json'), report('[]', 15_000_000));
      const server = startBin([], {
        DECKPROBE_MCP_BIN: fakeEngine(`cat '${file}'`).bin,
        DECKPROBE_MCP_TIMEOUT_MS: '100000',
      });
      await initialize(server);
      for (let id = 1; id <= SLOTS; id += 1) sendProbe(server, id);
      for (let id = 1; id <= SLOTS; id += 1) expect(error(await server.answer(id)).code).toBe('MCP_OUTPUT_LIMIT');
      expect(peakMib(server)).toBeLessThan(300);
    },
  );
});
