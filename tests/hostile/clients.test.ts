import { describe, expect, it } from 'vitest';
import { initialize, type Server, sendProbe, startBin } from '../helpers/bin.js';
import { allGone, playedEngine } from '../helpers/engines.js';
import { within } from '../helpers/waiting.js';

/** The server's own lines to its operator, without the one about the engine. */
function complaints({ stderr }: Server): string[] {
  return stderr
    .join('')
    .split('\n')
    .filter((line) => line !== '' && !line.includes('server 0.1.0, engine'));
}

describe('the end of a session, with four engines hanging and more queued', () => {
  const ENDS: [string, (server: Server) => void][] = [
    ['end of input', ({ child }) => child.stdin.end()],
    ['SIGTERM', ({ child }) => child.kill('SIGTERM')],
    ['SIGINT', ({ child }) => child.kill('SIGINT')],
    ['SIGHUP', ({ child }) => child.kill('SIGHUP')],
    ['two signals at once', ({ child }) => void (child.kill('SIGINT') && child.kill('SIGTERM'))],
    [
      'a closed stdout',
      (server) => {
        server.child.stdout.destroy();
        server.send({ jsonrpc: '2.0', id: 99, method: 'ping' });
      },
    ],
    [
      'both streams closed',
      ({ child }) => {
        child.stdout.destroy();
        child.stderr.destroy();
        child.stdin.destroy();
      },
    ],
  ];

  // On Windows such a signal ends a process as SIGKILL does.
  const ends = process.platform === 'win32' ? ENDS.filter(([name]) => !/SIG|signal/.test(name)) : ENDS;
  it.each(ends)('%s: status 0 within two seconds, no engine left, no stack trace', async (_, end) => {
    const hanging = playedEngine('ignoreTerm(); hang();');
    const server = startBin([], { DECKPROBE_MCP_BIN: hanging.bin });
    await initialize(server);
    for (let id = 1; id <= 10; id += 1) sendProbe(server, id);
    await hanging.started(5);
    const ended = await within(2000, () => {
      end(server);
      return server.exit();
    });
    expect(ended).toEqual([0, null]);
    await allGone(hanging.starts().map(({ pid }) => pid));
    expect(hanging.starts()).toHaveLength(5);
    expect(server.stderr.join('')).not.toMatch(/\n\s+at |Error:/);
  });

  it('an engine that is still asked for its version does not hold the server', async () => {
    const slow = playedEngine('', 'ignoreTerm(); hang();');
    const server = startBin([], { DECKPROBE_MCP_BIN: slow.bin });
    await initialize(server);
    sendProbe(server, 1);
    await slow.started(1);
    server.child.stdin.end();
    expect(await within(2000, server.exit)).toEqual([0, null]);
    await allGone(slow.starts().map(({ pid }) => pid));
  });

  it('a client that is gone before it says a word ends the server', async () => {
    const server = startBin();
    server.child.stdin.end();
    expect(await server.exit()).toEqual([0, null]);
    expect(server.stdout).toEqual([]);
  });

  it('a host that closes stderr does not end the server', async () => {
    const server = startBin();
    server.child.stderr.destroy();
    await initialize(server);
    sendProbe(server, 1);
    expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
    for (let id = 2; id < 12; id += 1) sendProbe(server, id, '/gone.pdf');
    expect(await server.answer(11)).toMatchObject({ result: { isError: true } });
  });
});

describe('lines that are no messages', () => {
  it.each([
    ['an empty line', '\n'],
    ['a line that is not JSON', 'hello\n'],
    ['half a message', '{"jsonrpc":"2.0","id":\n'],
    ['a batch array', '[{"jsonrpc":"2.0","id":7,"method":"ping"}]\n'],
    ['a JSON text of another kind', '"ping"\n'],
    ['an object that is no message', '{"hello":1}\n'],
    ['ill-formed UTF-8', Buffer.from([0xff, 0xfe, 0x0a])],
  ])('%s: the server lives, and says at most one line about it', async (_, line) => {
    const server = startBin();
    await initialize(server);
    server.child.stdin.write(line);
    sendProbe(server, 1);
    expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
    server.child.stdin.end();
    expect(await server.exit()).toEqual([0, null]);
    expect(server.impure).toEqual([]);
    const said = complaints(server);
    expect(said.length).toBeLessThanOrEqual(1);
    for (const each of said) expect(each).toMatch(/^deckprobe-mcp: a line that is not a JSON-RPC message was dropped/);
  });

  it('a line over the limit is refused, with one line that says why, and the server lives', async () => {
    const server = startBin();
    await initialize(server);
    server.child.stdin.write(
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'x'.repeat(11 * 1024 * 1024)}"}}\n`,
    );
    expect(await server.answer(1)).toMatchObject({ error: { code: -32600 } });
    sendProbe(server, 2);
    expect(await server.answer(2)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
    expect(complaints(server)).toEqual([expect.stringMatching(/^deckprobe-mcp: .*longer than 10485760 bytes.*$/)]);
  });

  it('before the session is open, they do not end it either', async () => {
    const server = startBin();
    server.child.stdin.write('hello\n\n[]\n');
    expect(await initialize(server)).toMatchObject({ result: { serverInfo: { name: 'deckprobe' } } });
  });

  it('an unknown method and an unknown notification are for the protocol', async () => {
    const server = startBin();
    await initialize(server);
    server.send({ jsonrpc: '2.0', method: 'notifications/nonsense' });
    server.send({ jsonrpc: '2.0', id: 1, method: 'nonsense' });
    expect(await server.answer(1)).toMatchObject({ error: { code: -32601 } });
  });
});
