import { describe, expect, it } from 'vitest';
import { type Place, type Server, startBin } from '../helpers/bin.js';
import { allGone, playedEngine } from '../helpers/engines.js';
import { fixture } from '../helpers/files.js';
import { within } from '../helpers/waiting.js';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function probe(id: number, extra: object = {}): string {
  const params = { name: 'probe', arguments: { path: fixture('deck.pptx') }, ...extra };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

/** Starts the server, gives it all its input at once, and ends the input. */
function startWith(input: string, env: NodeJS.ProcessEnv = {}, place: Place = {}): Server {
  const server = startBin([], env, place);
  server.child.stdin.end(input);
  return server;
}

describe('at the end of input', () => {
  it.each([
    ['a 2025-11-25 session', `${INITIALIZE}\n${probe(1)}\n`, [0, 1]],
    ['no line feed at the end', `${INITIALIZE}\n${probe(1)}`, [0, 1]],
    ['a 2026-07-28 call alone', `${probe(1, { _meta: ENVELOPE })}\n`, [1]],
    [
      'many calls',
      `${[INITIALIZE, ...Array.from({ length: 9 }, (_, at) => probe(at + 1))].join('\n')}\n`,
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    ],
  ])('calls under way are answered: %s', async (_, input, ids) => {
    const server = startWith(input);
    expect(await server.exit()).toEqual([0, null]);
    const answers = server.messages.sort((a, b) => Number(a.id) - Number(b.id));
    expect(answers).toMatchObject(
      ids.map((id) =>
        id === 0 ? { id, result: { serverInfo: {} } } : { id, result: { structuredContent: { status: 'ok' } } },
      ),
    );
    expect(server.impure).toEqual([]);
  });

  it('a call waits for an engine that is still looked for', async () => {
    const slow = playedEngine('print(REPORT);', `sleep(300); print('deckprobe 2.7.0');`);
    const server = startWith(`${INITIALIZE}\n${probe(1)}\n`, { DECKPROBE_MCP_BIN: slow.bin });
    expect(await server.exit()).toEqual([0, null]);
    expect(server.messages).toMatchObject([{ id: 0 }, { id: 1, result: { structuredContent: { status: 'ok' } } }]);
  });

  it('a bad last line is answered, too', async () => {
    const server = startWith('{"jsonrpc":');
    expect(await server.exit()).toEqual([0, null]);
    expect(server.messages).toMatchObject([{ id: null, error: { code: -32700 } }]);
  });

  it('a call that takes longer than a second is stopped without an answer', async () => {
    const hanging = playedEngine('ignoreTerm(); hang();');
    const server = startBin([], { DECKPROBE_MCP_BIN: hanging.bin });
    server.child.stdin.write(`${INITIALIZE}\n${probe(1)}\n`);
    await expect.poll(() => hanging.starts().length, { timeout: 10_000 }).toBe(2);
    const started = performance.now();
    const end = await within(2000, () => {
      server.child.stdin.end();
      return server.exit();
    });
    expect(end).toEqual([0, null]);
    expect(performance.now() - started).toBeGreaterThan(950);
    expect(server.messages.map(({ id }) => id)).toEqual([0]);
    await allGone(hanging.starts().map(({ pid }) => pid));
  });

  it('a cancelled call is not waited for', async () => {
    const hanging = playedEngine('hang()');
    const server = startBin([], { DECKPROBE_MCP_BIN: hanging.bin });
    server.child.stdin.write(`${INITIALIZE}\n${probe(1)}\n`);
    await expect.poll(() => hanging.starts().length, { timeout: 10_000 }).toBe(2);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    const end = await within(900, () => {
      server.child.stdin.end(`${JSON.stringify(cancel)}\n`);
      return server.exit();
    });
    expect(end).toEqual([0, null]);
  });

  // On Windows the server has to end itself then, with status 1.
  it.skipIf(process.platform === 'win32')('an answer that the client does not read does not hold the end', async () => {
    const large = playedEngine(
      `fs.writeSync(1, '{"schema_version":2,"tool_version":"2.7.0","status":"ok","x":"' + '0'.repeat(400000) + '"}');`,
    );
    const server = startBin([], { DECKPROBE_MCP_BIN: large.bin });
    server.child.stdout.pause();
    server.child.stdin.write(`${INITIALIZE}\n${[1, 2, 3, 4].map((id) => probe(id)).join('\n')}\n`);
    await expect.poll(() => large.starts().length, { timeout: 10_000 }).toBe(5);
    await allGone(large.starts().map(({ pid }) => pid));
    const exited = new Promise((resolve) => server.child.once('exit', (...how) => resolve(how)));
    const end = await within(2000, () => {
      server.child.stdin.end();
      return exited;
    });
    expect(end).toEqual([0, null]);
  });

  // On Windows a signal ends a process as SIGKILL does.
  it.skipIf(process.platform === 'win32')('a signal ends the wait at once', async () => {
    const hanging = playedEngine('hang()');
    const server = startBin([], { DECKPROBE_MCP_BIN: hanging.bin });
    server.child.stdin.write(`${INITIALIZE}\n${probe(1)}\n`);
    await expect.poll(() => hanging.starts().length, { timeout: 10_000 }).toBe(2);
    server.child.stdin.end();
    const end = await within(900, () => {
      server.child.kill('SIGTERM');
      return server.exit();
    });
    expect(end).toEqual([0, null]);
  });
});
