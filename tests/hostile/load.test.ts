import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialize, type Server, sendCall, sendProbe, startBin } from '../helpers/bin.js';
import { playedEngine } from '../helpers/engines.js';
import { fixture, temporaryFolder } from '../helpers/files.js';
import { until } from '../helpers/waiting.js';

const CALLS = 300;
/** Long enough for the last of a flood on a machine that has much else to do: time is not what is looked at here. */
const DECKPROBE_MCP_TIMEOUT_MS = '600000';
/** As many as no loop over ready descriptors takes at once. */
const FLOOD = 1200;

/** Has the server collect its garbage at SIGUSR2. */
const COLLECTS_GARBAGE = `--import=data:text/javascript,${encodeURIComponent(
  "import v8 from 'node:v8'; import vm from 'node:vm'; v8.setFlagsFromString('--expose-gc'); const gc = vm.runInNewContext('gc'); process.on('SIGUSR2', () => gc());",
)}`;

/** Resident memory, MiB. */
function residentMib({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

function descriptors({ child }: Server): number {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

describe('300 calls at once', () => {
  it('are all answered, by no more processes than configured, while ping is answered', async () => {
    const folder = temporaryFolder();
    const counts = path.join(temporaryFolder(), 'counts');
    // Each process notes how many are alive with it, and then is the engine itself.
    const fake = playedEngine(`
      const [ALIVE, COUNTS] = ${JSON.stringify([folder, counts])};
      const own = ALIVE + '/' + process.pid;
      fs.writeFileSync(own, '');
      fs.appendFileSync(COUNTS, fs.readdirSync(ALIVE).length + '\\n');
      process.on('exit', () => fs.rmSync(own));
      becomeEngine();`);
    const server = startBin([], {
      DECKPROBE_MCP_BIN: fake.bin,
      DECKPROBE_MCP_MAX_CONCURRENCY: '3',
      DECKPROBE_MCP_TIMEOUT_MS,
    });
    await initialize(server);
    const tools: [string, object][] = [
      ['probe', { path: fixture('deck.pptx') }],
      ['probe', { path: fixture('corrupt.pdf') }],
      ['probe_batch', { paths: [fixture('talk.key'), path.join(folder, 'gone.pdf')] }],
      ['list_targets', { format: 'pdf' }],
    ];
    for (let id = 1; id <= CALLS; id += 1) {
      const [tool, args] = tools[id % tools.length] ?? ['list_formats', {}];
      sendCall(server, id, tool, args);
    }
    server.send({ jsonrpc: '2.0', id: 1000, method: 'ping' });
    await server.answer(1000);
    // Prompt is before the flood is through: at three processes at once, most of it still waits.
    expect(server.messages.length).toBeLessThan(CALLS / 2);
    const answers = await Promise.all(Array.from({ length: CALLS }, (_, index) => server.answer(index + 1)));
    const codes = answers.map((answer) => Object(answer.result).structuredContent.error?.code);
    expect(new Set(codes)).toEqual(new Set([undefined, 'MALFORMED_INPUT']));
    const alive = readFileSync(counts, 'utf8').trim().split('\n').map(Number);
    expect(Math.max(...alive)).toBe(3);
  });

  // Only Linux tells in /proc how much memory and how many descriptors a process holds, as is looked at here.
  it.runIf(process.platform === 'linux')(
    'and four times more leave descriptors and memory where they were',
    { timeout: 600_000 },
    async () => {
      const server = startBin([], { DECKPROBE_MCP_TIMEOUT_MS, NODE_OPTIONS: COLLECTS_GARBAGE });
      await initialize(server);
      let next = 1;
      // What is resident without it is the largest load so far, which is the machine's doing.
      const collectGarbage = async () => {
        server.child.kill('SIGUSR2');
        sendProbe(server, next);
        await server.answer(next++);
      };
      const flood = async () => {
        const ids = Array.from({ length: FLOOD }, () => next++);
        for (const id of ids) sendProbe(server, id);
        const answers = await Promise.all(ids.map((id) => server.answer(id)));
        // Each with the report: a child whose output is not read in time is answered as well, but with a failure.
        for (const answer of answers) expect(answer).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
      };
      sendProbe(server, next);
      await server.answer(next++);
      const before = descriptors(server);
      // The heap grows to its working size in the first floods, and stays there.
      for (let round = 0; round < 2; round += 1) await flood();
      await collectGarbage();
      const warm = residentMib(server);
      for (let round = 0; round < 2; round += 1) await flood();
      await until(
        // One may have been open then for a moment: the server was still loading.
        () => descriptors(server) <= before,
        () => `${descriptors(server)} descriptors are open, ${before} were before`,
      );
      await collectGarbage();
      expect(residentMib(server) - warm).toBeLessThan(30);
    },
  );
});

// By a limit of descriptors, which Windows does not have, and a number of them that is Linux's.
describe.runIf(process.platform === 'linux')('1,200 missing names beside 1,200 documents', () => {
  it('cost the documents nothing, with 1,024 descriptors', async () => {
    const folder = temporaryFolder();
    const wrapper = ['/bin/sh', '-c', 'ulimit -n 1024; exec "$@"', 'sh'];
    const server = startBin([], { DECKPROBE_MCP_TIMEOUT_MS: '600000' }, { wrapper });
    await initialize(server);
    const ids = Array.from({ length: FLOOD }, (_, index) => index + 1);
    for (const id of ids) {
      // Every other one in the same folder, the rest in folders of their own.
      const place = id % 2 === 0 ? folder : path.join(folder, String(id));
      if (id % 2 !== 0) mkdirSync(place);
      sendProbe(server, id + FLOOD, path.join(place, `missing-${id}.pdf`));
      sendProbe(server, id);
    }
    const answers = await Promise.all(ids.map((id) => server.answer(id)));
    for (const answer of answers) expect(answer).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
    const missing = await Promise.all(ids.map((id) => server.answer(id + FLOOD)));
    for (const answer of missing)
      expect(answer).toMatchObject({ result: { structuredContent: { error: { code: 'MCP_PATH_NOT_FOUND' } } } });
  }, 300_000);
});
