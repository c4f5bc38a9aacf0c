import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialize, sendProbe, startBin } from './helpers/bin.js';
import { call, ERAS, spawnServer, watch } from './helpers/clients.js';
import { allGone, askEngine, askEngineBatch, type Json, playedEngine } from './helpers/engines.js';
import { fixture, PROJECT, temporaryFolder } from './helpers/files.js';
import { slowly } from './helpers/waiting.js';

const VERSION = '0.1.0';

describe.each(ERAS)('the built server over %s', (era) => {
  it('introduces itself, lists its tools and instructs', async () => {
    const client = await spawnServer(era);
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    expect(client.getServerVersion()).toMatchObject({ name: 'deckprobe', title: 'DeckProbe', version: VERSION });
    expect(client.getInstructions()).toContain('@summary');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('probe');
  });

  // TEST_CORPUS names a folder of real documents to take in place of the fixtures.
  it("answers every document with the engine's own JSON", async () => {
    const client = await spawnServer(era);
    const folder = process.env.TEST_CORPUS ?? fixture('.');
    const files = readdirSync(folder).map((name) => path.join(path.resolve(folder), name));
    expect(files.length).toBeGreaterThan(0);
    const optionSets: [Json, string[]][] = [
      [{}, []],
      [{ targets: ['@all'], level: 'deep', view: 'values' }, ['--targets=@all', '--probe-level=deep', '--view=values']],
    ];
    for (const [options, flags] of optionSets) {
      for (const file of files) {
        const { value, json, isError } = await call(client, 'probe', { path: file, ...options });
        expect(value, file).toEqual(askEngine([...flags, '--', file]).value);
        expect(JSON.parse(json), file).toEqual(value);
        expect(isError, file).toBe(value.status === 'error');
      }
    }
  });

  it("answers batches with the engine's own JSON, 64 at a time", async () => {
    const client = await spawnServer(era);
    const folder = process.env.TEST_CORPUS ?? fixture('.');
    const names = readdirSync(folder);
    const paths = Array.from({ length: 64 }, (_, at) =>
      path.join(path.resolve(folder), names[at % names.length] ?? ''),
    );
    for (const view of ['values', 'report'] as const) {
      const { value, text, isError } = await call(client, 'probe_batch', { paths, view });
      expect(isError).toBe(false);
      expect(JSON.parse(text)).toEqual(value);
      const flags = view === 'values' ? ['--view=values'] : [];
      const own = askEngineBatch(
        flags,
        paths.map((each) => ({ path: each })),
      );
      const reports = value.reports as { path: string; report: Json }[];
      expect(reports.map((entry) => entry.path)).toEqual(paths);
      for (const [at, { report }] of reports.entries()) expect(report, paths[at]).toEqual(own[at]);
    }
  });

  it('discovers formats, targets and the schema', async () => {
    const client = await spawnServer(era);
    expect((await call(client, 'list_formats')).value).toEqual(askEngine(['formats']).value);
    const full = await call(client, 'list_targets', { format: 'numbers', detail: 'full' });
    expect(full.value).toEqual(askEngine(['targets', '--format=numbers']).value);
    expect((await call(client, 'list_targets', { format: 'numbers' })).value).toHaveProperty('not_applicable');
    const { contents } = await client.readResource({ uri: 'deckprobe://schema' });
    expect(contents).toMatchObject([{ text: askEngine(['schema']).text }]);
  });

  it('ends each failing call with one hint', async () => {
    const client = await spawnServer(era);
    const failing: [string, Json, string, string][] = [
      ['probe', { path: fixture('talk.key'), targets: ['x'] }, 'UNSUPPORTED_TARGET', 'list_targets {"format":"key"}'],
      ['probe', { path: fixture('.') }, 'INVALID_REQUEST', 'regular file'],
      ['probe', { path: '/gone.pdf' }, 'MCP_PATH_NOT_FOUND', 'absolute path'],
      [
        'probe',
        { path: fixture('deck.pptx'), budget: { max_archive_entries: 1 } },
        'BUDGET_EXCEEDED',
        'max_archive_entries',
      ],
      ['probe', { path: path.join(PROJECT, 'LICENSE') }, 'UNSUPPORTED_FORMAT', 'list_formats'],
      ['probe_batch', { paths: Array.from({ length: 65 }, () => '/x') }, 'MCP_BATCH_TOO_LARGE', 'Split'],
      ['list_targets', { format: 'tsv' }, 'UNSUPPORTED_FORMAT', 'list_formats'],
    ];
    for (const [name, args, code, hint] of failing) {
      const answer = await call(client, name, args);
      expect([answer.isError, answer.code]).toEqual([true, code]);
      expect(answer.hint).toContain(hint);
      expect(JSON.parse(answer.json)).toEqual(answer.value);
    }
  });

  it('tells a progress that ends before the answer', async () => {
    const client = await spawnServer(era);
    // As it arrives: the client passes no notification on that it reads in one piece with the answer.
    const seen = watch(client);
    const params = { name: 'probe_batch', arguments: { paths: [fixture('deck.pptx'), '/gone.pdf'] } };
    await client.callTool(params, { onprogress: () => {} });
    const last = { method: 'notifications/progress', params: { progress: 2, total: 2 } };
    expect(seen.slice(-2)).toMatchObject([last, { result: { structuredContent: { reports: [{}, {}] } } }]);
  });

  it('lists tools without an engine, and says at a call what is wrong', async () => {
    const bin = path.join(temporaryFolder(), 'deckprobe');
    const client = await spawnServer(era, { DECKPROBE_MCP_BIN: bin });
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    const { code, value, isError } = await call(client, 'probe', { path: fixture('deck.pptx') });
    expect({ code, isError }).toEqual({ code: 'MCP_ENGINE_NOT_FOUND', isError: true });
    expect(JSON.stringify(value)).toContain(`DECKPROBE_MCP_BIN is ${JSON.stringify(JSON.stringify(bin)).slice(1, -1)}`);
  });
});

describe('every earlier revision', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('%s is served as such', async (protocolVersion) => {
    const server = startBin();
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    server.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    expect(await server.answer(0)).toMatchObject({ result: { protocolVersion, instructions: expect.any(String) } });
    server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    sendProbe(server, 1);
    expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
  });
});

describe('cache lifetimes', () => {
  it('are positive for a 2026-07-28 client, on both lists and on the schema', async () => {
    const server = startBin();
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const requests: [string, Json][] = [
      ['server/discover', {}],
      ['tools/list', {}],
      ['resources/list', {}],
      ['resources/read', { uri: 'deckprobe://schema' }],
    ];
    for (const [id, [method, params]] of requests.entries()) {
      server.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
      const { result } = (await server.answer(id)) as { result: { ttlMs: number; cacheScope: string } };
      if (method !== 'server/discover') expect(result.ttlMs, method).toBeGreaterThan(0);
    }
  });
});

describe('the streams', () => {
  it('stdout holds protocol messages only, and input that ends ends the server with status 0', async () => {
    const server = startBin();
    await initialize(server);
    for (const [index, name] of ['deck.pptx', 'corrupt.pdf', 'gone.pdf'].entries())
      sendProbe(server, index + 1, fixture(name));
    await Promise.all([1, 2, 3].map((id) => server.answer(id)));
    server.child.stdin.end();
    expect(await server.exit()).toEqual([0, null]);
    expect(server.impure).toEqual([]);
    expect(server.messages.map(({ id }) => id).sort()).toEqual([0, 1, 2, 3]);
    expect(server.stdout.join('')).toMatch(/\n$/);
  });

  it('the operator is told of the engine in one line', async () => {
    const server = startBin();
    await initialize(server);
    sendProbe(server, 1);
    await server.answer(1);
    server.child.stdin.end();
    await server.exit();
    expect(server.stderr.join('')).toMatch(
      /^deckprobe-mcp: server 0\.1\.0, engine deckprobe 2\.7\.0 \(package\) at ".*"\n$/,
    );
  });

  it('initialize does not wait for the engine', async () => {
    // This engine takes as long to tell its version as it is let.
    const slow = playedEngine('', 'hang()');
    const server = startBin([], { DECKPROBE_MCP_BIN: slow.bin });
    const answer = await initialize(server);
    expect(answer).toMatchObject({ result: { serverInfo: { name: 'deckprobe' } } });
    server.child.stdin.end();
    expect(await server.exit()).toEqual([0, null]);
    await allGone(slow.starts().map(({ pid }) => pid));
  });

  it('goes on after engines that hang, crash or talk nonsense', async () => {
    const fake = playedEngine(`
      const file = args.at(-1);
      if (file.includes('corrupt')) hang();
      if (file.includes('letter')) crash();
      print(file.includes('report') ? 'junk' : REPORT);`);
    const env = { DECKPROBE_MCP_BIN: fake.bin, DECKPROBE_MCP_TIMEOUT_MS: String(slowly(3000)) };
    const client = await spawnServer('2026-07-28', env);
    const codeFor = async (name: string) => (await call(client, 'probe', { path: fixture(name) })).code;
    const names = ['letter.docx', 'report.pdf', 'deck.pptx'];
    const expected = ['MCP_ENGINE_FAILURE', 'MCP_ENGINE_FAILURE', undefined];
    expect(await Promise.all(['corrupt.pdf', ...names].map(codeFor))).toEqual(['MCP_TIMEOUT', ...expected]);
    expect(await Promise.all(names.map(codeFor))).toEqual(expected);
    await allGone(fake.starts().map(({ pid }) => pid));
  });
});
