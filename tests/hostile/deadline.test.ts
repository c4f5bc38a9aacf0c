import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.js';
import { call, connect, engineFound } from '../helpers/clients.js';
import { allGone, fakeEngine, type Json, playedEngine } from '../helpers/engines.js';
import { fixture, temporaryFolder, writeFile } from '../helpers/files.js';
import { slowly, within } from '../helpers/waiting.js';

const DECK = fixture('deck.pptx');
/** Long enough for a process to be started, also on a machine that has much else to do. Milliseconds. */
const DEADLINE = slowly(2000);

/** Runs a call and holds it to its deadline and a second. */
function inTime<T>(work: () => Promise<T>): Promise<T> {
  return within(DEADLINE + 1000, work);
}

/** A client whose engine is found already, so that its calls have their whole time for what is played here. */
async function connectFound(settings: Partial<Config>): Promise<Client> {
  const session = await connect({ timeoutMs: DEADLINE, ...settings });
  await engineFound(session);
  return session.client;
}

function codes(value: Json): (string | undefined)[] {
  return (value.reports as { report: { error?: { code: string } } }[]).map(({ report }) => report.error?.code);
}

describe('one deadline a call', () => {
  it('ten records that crash one after another share it', async () => {
    // Together they would take three times as long as they are let.
    const fake = playedEngine(`records().next(); sleep(${0.3 * DEADLINE}); crash();`);
    const client = await connectFound({ bin: fake.bin });
    const paths = Array.from({ length: 10 }, () => DECK);
    const { value } = await inTime(() => call(client, 'probe_batch', { paths }));
    const found = codes(value);
    expect(found[0]).toBe('MCP_ENGINE_FAILURE');
    expect(found.at(-1)).toBe('MCP_TIMEOUT');
    expect(found.lastIndexOf('MCP_ENGINE_FAILURE')).toBeLessThan(found.indexOf('MCP_TIMEOUT'));
    await allGone(fake.starts().map(({ pid }) => pid));
  });

  it('a queue behind hanging engines is part of it, and says that it was waiting', async () => {
    const fake = playedEngine('hang()');
    const client = await connectFound({ bin: fake.bin, maxConcurrency: 2 });
    const answers = await inTime(() =>
      Promise.all([
        ...Array.from({ length: 6 }, () => call(client, 'probe', { path: DECK })),
        call(client, 'probe_batch', { paths: [DECK] }),
        call(client, 'list_formats'),
      ]),
    );
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 'MCP_TIMEOUT'));
    const messages = answers.map(({ value }) => (value.error as { message: string }).message);
    // A slot that falls free at the deadline may still start one of the others, so how many of each is not said.
    for (const message of messages)
      expect(message).toMatch(/ran out while (running the engine|waiting for a free engine slot)$/);
    expect(messages.filter((message) => message.includes('waiting')).length).toBeGreaterThan(0);
    await allGone(fake.starts().map(({ pid }) => pid));
  });

  it('an engine that does not tell its version is part of it', async () => {
    const fake = playedEngine('', 'hang()');
    const { client, log } = await connect({ bin: fake.bin, timeoutMs: 2000 });
    const answers = await inTime(() =>
      Promise.all([
        call(client, 'probe', { path: DECK }),
        call(client, 'probe_batch', { paths: [DECK] }),
        call(client, 'list_formats'),
      ]),
    );
    for (const { value } of answers)
      expect(value.error).toMatchObject({
        code: 'MCP_TIMEOUT',
        message: expect.stringContaining('engine to be found'),
      });
    // One line for the operator each.
    expect(log.filter((line) => /^MCP_TIMEOUT after \d+ ms, pid none/.test(line))).toHaveLength(3);
  });

  // Windows has no process groups to leave, macOS no setsid.
  it.runIf(process.platform === 'linux')(
    'a grandchild that left the process group and holds stdout does not stretch it',
    async () => {
      const pids = path.join(temporaryFolder(), 'pids');
      const fake = fakeEngine(`setsid sh -c 'echo $$ >> ${pids}; exec sleep 60' & exec sleep 60`);
      const client = await connectFound({ bin: fake.bin });
      onTestFinished(() => {
        for (const pid of readFileSync(pids, 'utf8').trim().split('\n')) process.kill(Number(pid), 'SIGKILL');
      });
      const calls = () => [call(client, 'probe', { path: DECK }), call(client, 'probe_batch', { paths: [DECK, DECK] })];
      const answers = await inTime(() => Promise.all(calls()));
      expect(answers.map(({ code }) => code)).toEqual(['MCP_TIMEOUT', 'MCP_TIMEOUT']);
      expect(readFileSync(pids, 'utf8').trim().split('\n')).toHaveLength(2);
      await allGone(fake.starts().map(({ pid }) => pid));
    },
  );

  it('an engine that answers drop by drop does not stretch it', async () => {
    const fake = playedEngine(`for (;;) { fs.writeSync(1, ' '); sleep(10); }`);
    const client = await connectFound({ bin: fake.bin });
    const calls = () => [call(client, 'probe', { path: DECK }), call(client, 'probe_batch', { paths: [DECK] })];
    const answers = await inTime(() => Promise.all(calls()));
    expect(answers.map(({ code }) => code)).toEqual(['MCP_TIMEOUT', 'MCP_TIMEOUT']);
  });

  it('an engine that does not read its input does not hold the call', async () => {
    const fake = playedEngine('hang()');
    const folder = temporaryFolder();
    const client = await connectFound({ bin: fake.bin, maxBatch: 1000 });
    const name = 'n'.repeat(200);
    const paths = Array.from({ length: 1000 }, () => writeFile(path.join(folder, `${name}.pdf`), ''));
    expect((await inTime(() => call(client, 'probe_batch', { paths }))).code).toBe('MCP_TIMEOUT');
  });

  it('an engine that answers and then hangs has answered its batch by the deadline', async () => {
    const fake = playedEngine('for (const _ of records()) print(REPORT); hang();');
    const client = await connectFound({ bin: fake.bin });
    const { value, isError } = await inTime(() => call(client, 'probe_batch', { paths: [DECK, DECK] }));
    expect([isError, codes(value)]).toEqual([false, [undefined, undefined]]);
  });
});
