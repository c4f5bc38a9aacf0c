import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialize, type Server, sendCall, sendProbe, startBin } from '../helpers/bin.js';
import { entryOutcomes } from '../helpers/clients.js';
import { deadMount, whyNoDeadMount } from '../helpers/dead-mount.js';
import { allGone, ENGINE, type Json } from '../helpers/engines.js';
import { fixture, temporaryFolder } from '../helpers/files.js';
import { within } from '../helpers/waiting.js';

/*
 * A FUSE file system that nobody serves stands in for a network share that is gone: each look at it waits in the kernel,
 * and a thread that waits there does not let its process exit.
 */

const REASON = whyNoDeadMount();
if (REASON !== undefined) process.stderr.write(`tests of dead file systems are skipped: ${REASON}\n`);

const DECK = fixture('deck.pptx');

async function codeOf(server: Server, id: number): Promise<string> {
  const { result } = (await server.answer(id)) as { result: { structuredContent: Json } };
  const { status, error } = result.structuredContent as { status: string; error?: { code: string } };
  return error?.code ?? status;
}

/** The processes that a server has started and that have not ended. */
function childrenOf(server: Server): number[] {
  return readFileSync(`/proc/${server.child.pid}/task/${server.child.pid}/children`, 'utf8')
    .split(' ')
    .flatMap((pid) => (pid.trim() === '' ? [] : Number(pid)));
}

async function endsInTime(server: Server, end: () => void): Promise<void> {
  const children = childrenOf(server);
  const [code, signal] = await within(2000, () => {
    end();
    return server.exit();
  });
  // Where a thread hangs in the kernel, the process cannot but kill itself.
  expect([0, 'SIGKILL']).toContain(code ?? signal);
  await allGone(children);
}

describe.skipIf(REASON !== undefined)('a file system that never answers', () => {
  it.each([
    ['end of input', (server: Server) => server.child.stdin.end()],
    ['SIGTERM', (server: Server) => server.child.kill('SIGTERM')],
  ])('does not hold the end of the server by %s', async (_, end) => {
    const dead = deadMount();
    const server = startBin([], { DECKPROBE_MCP_TIMEOUT_MS: '60000' });
    await initialize(server);
    for (let id = 1; id <= 12; id += 1) sendProbe(server, id, path.join(dead, `${id}.pdf`));
    sendProbe(server, 100);
    expect(await codeOf(server, 100)).toBe('ok');
    await endsInTime(server, () => end(server));
  });

  it.each([
    ['without roots', false],
    ['under roots', true],
  ])('costs the calls that name it and no other, %s', async (_, isRestricted) => {
    const dead = deadMount();
    const roots = isRestricted ? { DECKPROBE_MCP_ROOTS: [path.dirname(DECK), dead].join(path.delimiter) } : {};
    const server = startBin([], { ...roots, DECKPROBE_MCP_TIMEOUT_MS: '8000' });
    await initialize(server);
    // In folders of their own, one after the other, and many at once.
    for (let id = 1; id <= 6; id += 1) {
      sendProbe(server, id, path.join(dead, `folder-${id}`, 'a.pdf'));
      sendProbe(server, 100 + id);
      expect(await codeOf(server, 100 + id)).toBe('ok');
    }
    for (let id = 7; id <= 60; id += 1) sendProbe(server, id, path.join(dead, `folder-${id}`, 'a.pdf'));
    sendCall(server, 61, 'probe_batch', {
      paths: Array.from({ length: 64 }, (_each, index) => `${dead}/${index}.pdf`),
    });
    for (let id = 200; id < 240; id += 1) sendProbe(server, id);
    for (let id = 200; id < 240; id += 1) expect(await codeOf(server, id)).toBe('ok');
    sendCall(server, 240, 'probe_batch', { paths: [DECK, DECK] });
    const { result } = (await server.answer(240)) as { result: { structuredContent: Json } };
    expect(entryOutcomes(result.structuredContent)).toEqual(['ok', 'ok']);
    // The hung ones end by their deadline, or under roots as soon as it is plain that the root does not answer.
    const hung = await Promise.all(Array.from({ length: 60 }, (_each, index) => codeOf(server, index + 1)));
    expect(new Set(hung)).toEqual(new Set(['MCP_TIMEOUT']));
    await endsInTime(server, () => server.child.stdin.end());
  });

  it.each([
    ['without roots', false],
    ['under roots', true],
  ])('costs the entries of a batch that are on it, %s', async (_, isRestricted) => {
    const dead = deadMount();
    const roots = isRestricted ? { DECKPROBE_MCP_ROOTS: [path.dirname(DECK), dead].join(path.delimiter) } : {};
    const server = startBin([], { ...roots, DECKPROBE_MCP_TIMEOUT_MS: '8000' });
    await initialize(server);
    const hung = Array.from({ length: 20 }, (_each, index) => path.join(dead, `${index}.pdf`));
    sendCall(server, 1, 'probe_batch', { paths: [DECK, ...hung, DECK] });
    const { result } = (await server.answer(1)) as { result: { structuredContent: Json } };
    expect(entryOutcomes(result.structuredContent)).toEqual(['ok', ...hung.map(() => 'MCP_TIMEOUT'), 'ok']);
    expect(JSON.stringify(result.structuredContent)).toContain('did not answer within 2000 ms');
    await endsInTime(server, () => server.child.stdin.end());
  });

  it('costs no other entries of a batch, however many there are', async () => {
    const dead = deadMount();
    const server = startBin([], { DECKPROBE_MCP_TIMEOUT_MS: '20000', DECKPROBE_MCP_MAX_BATCH: '1000' });
    await initialize(server);
    const hung = Array.from({ length: 4 }, (_each, index) => path.join(dead, `${index}.pdf`));
    // Each has 227 ms of half the call's time: less than it takes until looks are moved into a process of their own.
    sendCall(server, 1, 'probe_batch', { paths: [...hung, ...Array.from({ length: 700 }, () => DECK)] });
    const { result } = (await server.answer(1)) as { result: { structuredContent: Json } };
    const outcomes = entryOutcomes(result.structuredContent);
    expect(outcomes.slice(0, 4)).toEqual(hung.map(() => 'MCP_TIMEOUT'));
    expect(outcomes.slice(4)).not.toContain('MCP_TIMEOUT');
    await endsInTime(server, () => server.child.stdin.end());
  });

  it.each(['HOME', 'NODE_PATH'])('as %s does not stop the server', async (name) => {
    const server = startBin([], { [name]: path.join(deadMount(), 'node_modules') });
    await initialize(server);
    sendProbe(server, 1);
    expect(await codeOf(server, 1)).toBe('ok');
    await endsInTime(server, () => server.child.stdin.end());
  });

  it('does not cost a process for each call that is given up', async () => {
    const dead = deadMount();
    const server = startBin([], { DECKPROBE_MCP_TIMEOUT_MS: '60000' });
    await initialize(server);
    for (let id = 1; id <= 20; id += 1) {
      sendProbe(server, id, path.join(dead, `${id}.pdf`));
      sendProbe(server, 100 + id);
      expect(await codeOf(server, 100 + id)).toBe('ok');
      server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    }
    sendProbe(server, 200);
    expect(await codeOf(server, 200)).toBe('ok');
    // Those that have been ended and that the kernel does not let go are children still.
    await expect.poll(() => childrenOf(server).length).toBeLessThanOrEqual(1);
    await endsInTime(server, () => server.child.stdin.end());
  });

  it('holds nobody else up when a helper that hangs there is killed', async () => {
    const dead = deadMount();
    const server = startBin([], { DECKPROBE_MCP_TIMEOUT_MS: '60000' });
    await initialize(server);
    for (let id = 1; id <= 6; id += 1) sendProbe(server, id, path.join(dead, `${id}.pdf`));
    sendProbe(server, 100);
    expect(await codeOf(server, 100)).toBe('ok');
    const helpers = childrenOf(server).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('runner.js'),
    );
    expect(helpers.length).toBeGreaterThan(0);
    for (const pid of helpers) process.kill(pid, 'SIGKILL');
    for (let id = 101; id < 110; id += 1) sendProbe(server, id);
    for (let id = 101; id < 110; id += 1) expect(await codeOf(server, id)).toBe('ok');
    await endsInTime(server, () => server.child.stdin.end());
  });

  it('as a root allows nothing, and the other roots serve', async () => {
    const dead = deadMount();
    const folder = temporaryFolder();
    const file = path.join(folder, 'deck.pptx');
    copyFileSync(DECK, file);
    const server = startBin([], { DECKPROBE_MCP_ROOTS: [dead, folder].join(path.delimiter) });
    await initialize(server);
    sendProbe(server, 1, file);
    expect(await codeOf(server, 1)).toBe('ok');
    sendProbe(server, 2);
    expect(await codeOf(server, 2)).toBe('MCP_PATH_NOT_ALLOWED');
    expect(JSON.stringify(await server.answer(2))).toContain('One of them does not answer now');
    await expect.poll(() => server.stderr.join('')).toContain('does not answer and allows nothing');
    await endsInTime(server, () => server.child.stdin.end());
  });

  it('as a folder on PATH is passed over', async () => {
    const dead = deadMount();
    const server = startBin([], { PATH: [dead, path.dirname(ENGINE)].join(path.delimiter) });
    await initialize(server);
    sendProbe(server, 1);
    expect(await codeOf(server, 1)).toBe('ok');
    await endsInTime(server, () => server.child.stdin.end());
  });

  it('as DECKPROBE_MCP_BIN is a reason, and the server lives', async () => {
    const server = startBin([], { DECKPROBE_MCP_BIN: path.join(deadMount(), 'deckprobe') });
    await initialize(server);
    sendProbe(server, 1);
    expect(await codeOf(server, 1)).toBe('MCP_ENGINE_NOT_FOUND');
    expect(JSON.stringify(await server.answer(1))).toContain('did not answer within');
    server.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect(await server.answer(2)).toMatchObject({ result: {} });
    await endsInTime(server, () => server.child.kill('SIGTERM'));
  });
});
