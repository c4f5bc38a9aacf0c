import { describe, expect, it } from 'vitest';
import { call, connect, type Session, watch } from './helpers/clients.js';
import { allGone, type Json, playedEngine } from './helpers/engines.js';
import { fixture } from './helpers/files.js';

const DECK = fixture('deck.pptx');
/** Hangs at a deck, answers for anything else. */
const HANGS_AT_DECK = `if (args.at(-1).includes('deck.pptx')) hang(); print(REPORT);`;

/** Calls a tool; `cancel` takes the call back and waits until the client has given it up. */
function cancellable({ client }: Session, name: string, args: Json) {
  const controller = new AbortController();
  const answer = client.callTool({ name, arguments: args }, { signal: controller.signal, onprogress: () => {} }).then(
    () => 'answered',
    () => 'cancelled',
  );
  return {
    cancel: async () => {
      controller.abort();
      expect(await answer).toBe('cancelled');
    },
  };
}

describe('a cancelled call', () => {
  it('has its process ended, answers nothing, and frees its slot', async () => {
    const fake = playedEngine(HANGS_AT_DECK);
    const session = await connect({ bin: fake.bin, maxConcurrency: 1 });
    const running = cancellable(session, 'probe', { path: DECK });
    await fake.started(2);
    const seen = watch(session.client);
    await running.cancel();
    await allGone(fake.starts().map(({ pid }) => pid));
    expect((await call(session.client, 'probe', { path: fixture('report.pdf') })).isError).toBe(false);
    // The one message is the answer to the call that came after.
    expect(seen).toHaveLength(1);
    expect(session.log.some((line) => /cancelled.* pid \d+/.test(line))).toBe(true);
  });

  it('in the middle of a batch ends the batch', async () => {
    const fake = playedEngine(
      `for (const record of records()) { if (record.includes('deck.pptx')) hang(); print(REPORT); }`,
    );
    const session = await connect({ bin: fake.bin, maxConcurrency: 1 });
    const paths = [fixture('report.pdf'), DECK, fixture('report.pdf')];
    const running = cancellable(session, 'probe_batch', { paths });
    await fake.started(2);
    const seen = watch(session.client);
    await running.cancel();
    await allGone(fake.starts().map(({ pid }) => pid));
    const after = await call(session.client, 'probe_batch', { paths: [fixture('report.pdf')] });
    expect(after.isError).toBe(false);
    // The version, the batch that was cancelled, the one after it: the rest of the batch did not go on.
    expect(fake.starts()).toHaveLength(3);
    expect(seen.filter((message) => !('method' in message))).toHaveLength(1);
  });

  it('in the queue leaves it without ever having a process', async () => {
    const fake = playedEngine(HANGS_AT_DECK);
    const session = await connect({ bin: fake.bin, maxConcurrency: 1 });
    const running = cancellable(session, 'probe', { path: DECK });
    await fake.started(2);
    const queued = cancellable(session, 'probe', { path: DECK });
    const next = call(session.client, 'probe', { path: fixture('report.pdf') });
    await queued.cancel();
    await running.cancel();
    expect((await next).isError).toBe(false);
    expect(fake.starts().map(({ args }) => args)).toEqual(['--version', `-- ${DECK}`, `-- ${fixture('report.pdf')}`]);
  });

  it('that was the last to wait for a catalogue ends its process', async () => {
    const fake = playedEngine('hang()');
    const session = await connect({ bin: fake.bin });
    const first = cancellable(session, 'list_formats', {});
    const second = cancellable(session, 'list_formats', {});
    await fake.started(2);
    await first.cancel();
    await second.cancel();
    await allGone(fake.starts().map(({ pid }) => pid));
  });
});
