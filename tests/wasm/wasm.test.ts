import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, symlinkSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { probeFlags } from '../../src/engine/flags.js';
import type { ProbeOptions } from '../../src/engine/types.js';
import { valuesView } from '../../src/engine/wasm/values-view.js';
import { initialize, type Server, sendCall, startBin } from '../helpers/bin.js';
import { entryOutcomes } from '../helpers/clients.js';
import { allGone, askEngine, ENGINE, type Json } from '../helpers/engines.js';
import { fixture, temporaryFolder, writeFile } from '../helpers/files.js';
import { installNative, installServer, installWasm, REAL_SDK } from '../helpers/installation.js';

const WHICH = REAL_SDK === undefined ? 'a stand-in for the package' : 'the installed package';
/** TEST_CORPUS names a folder of real documents to take as well. */
const FOLDERS = [fixture('.'), ...(process.env.TEST_CORPUS ? [path.resolve(process.env.TEST_CORPUS)] : [])];
const DOCUMENTS = FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)));

const OPTION_SETS: ProbeOptions[] = [
  {},
  { view: 'values' },
  { targets: ['@all'], level: 'deep', view: 'values' },
  { targets: ['@all'], level: 'deep', min_confidence: 'low' },
  { targets: ['@summary,@security', 'document.title'], level: 'header' },
  { targets: ['document.title'], target_confidence: { 'document.title': 'exact' }, view: 'values' },
  { budget: { max_physical_bytes: 2000, max_expanded_bytes: 5000, max_archive_entries: 9, timeout_ms: 400 } },
];

interface Answer {
  readonly value: Json;
  readonly isError: boolean;
  readonly code: string | undefined;
}

interface Installed {
  readonly folder: string;
  readonly server: Server;
  call(name: string, args: Json): Promise<Answer>;
}

/** A running server of an installation without a native engine, and nothing on PATH. */
async function start(install: (folder: string) => void, env: NodeJS.ProcessEnv = {}): Promise<Installed> {
  const folder = temporaryFolder();
  const main = installServer(folder);
  install(folder);
  const server = startBin([], { PATH: '', ...env }, { main });
  await initialize(server);
  let next = 1;
  return {
    folder,
    server,
    call: async (name, args) => {
      const id = next++;
      sendCall(server, id, name, args);
      const { result } = (await server.answer(id)) as { result: { structuredContent: Json; isError?: boolean } };
      const { error } = result.structuredContent as { error?: { code: string } };
      return { value: result.structuredContent, isError: result.isError === true, code: error?.code };
    },
  };
}

/** A report without what differs under WebAssembly: where the bytes came from, and what they cost. */
function comparable(report: Json): Json {
  const { input, execution, results, ...rest } = structuredClone(report) as Record<string, Json | undefined>;
  if (input !== undefined) delete input.source_kind;
  if (execution !== undefined) delete execution.actual_cost;
  for (const target of ['document.extension', 'document.extension_matches', 'document.file_size'])
    delete (results?.[target] as Json | undefined)?.source;
  return { ...rest, input, execution, results };
}

describe('the values view', () => {
  it.each(OPTION_SETS)('is what the command line prints, with %j', (options) => {
    for (const file of DOCUMENTS) {
      const ask = (view: 'report' | 'values') => askEngine([...probeFlags({ ...options, view }), '--', file]).value;
      expect(valuesView(ask('report')), file).toEqual(ask('values'));
    }
  });

  it('keeps a value that is null, and leaves out a target without one', () => {
    const report = {
      results: { a: { value: null }, b: { status: 'unknown' } },
      execution: { unresolved_targets: ['b'] },
    };
    expect(valuesView(report)).toMatchObject({ values: { a: null }, unresolved_targets: ['b'], piggyback_targets: [] });
  });
});

describe(`WebAssembly (${WHICH})`, () => {
  it.each(OPTION_SETS)(
    "answers every document with the native engine's answer, with %j",
    { timeout: 240_000 },
    async (options) => {
      const { call } = await start(installWasm);
      for (const file of DOCUMENTS) {
        const { value, isError } = await call('probe', { path: file, ...options });
        const own = askEngine([...probeFlags(options), '--', file]).value;
        expect(comparable(value), file).toEqual(comparable(own));
        if (!isError) expect(value.input, file).toMatchObject({ source_kind: 'node_bytes' });
      }
      const { value } = await call('probe_batch', { paths: DOCUMENTS.slice(0, 64), view: 'report', level: 'deep' });
      for (const [index, { report }] of (value.reports as { report: Json }[]).entries()) {
        const own = askEngine(
          ['--jsonl', '--probe-level=deep'],
          `${JSON.stringify({ path: DOCUMENTS[index] })}\n`,
        ).value;
        expect(comparable(report), DOCUMENTS[index]).toEqual(comparable(own));
      }
    },
  );

  it('serves the catalogues and the schema, and says why it serves', async () => {
    const { server, call } = await start(installWasm);
    expect((await call('list_formats', {})).value).toEqual(askEngine(['formats']).value);
    expect((await call('list_targets', { format: 'XLSX', detail: 'full' })).value).toEqual(
      askEngine(['targets', '--format=xlsx']).value,
    );
    expect((await call('list_targets', { format: 'tsv' })).code).toBe('UNSUPPORTED_FORMAT');
    server.send({ jsonrpc: '2.0', id: 500, method: 'resources/read', params: { uri: 'deckprobe://schema' } });
    const { result } = (await server.answer(500)) as { result: { contents: [{ text: string }] } };
    expect(JSON.parse(result.contents[0].text)).toEqual(askEngine(['schema']).value);
    expect(server.stderr.join('')).toMatch(
      /engine deckprobe 2\.\S+ \(wasm\) at ".*wasm[\\/]+runner\.js"; WebAssembly serves because the package @deckflow\/deckprobe-\S+ is not installed or does not run, there is no deckprobe 2\.x on PATH\n/,
    );
  });

  it('gives way to a native engine', async () => {
    const { server, call } = await start((folder) => {
      installWasm(folder);
      installNative(folder);
    });
    expect((await call('probe', { path: fixture('deck.pptx') })).value).toMatchObject({
      input: { source_kind: 'local_file' },
    });
    expect(server.stderr.join('')).toContain('(package)');
  });

  it.skipIf(process.getuid?.() === 0 && process.platform !== 'linux')(
    'says of paths what the command line says',
    async () => {
      const { folder } = await start(installWasm);
      const runner = path.join(folder, 'dist', 'engine', 'wasm', 'runner.js');
      const place = temporaryFolder();
      chmodSync(place, 0o755);
      const deck = path.join(place, 'deck.pptx');
      copyFileSync(fixture('deck.pptx'), deck);
      for (const name of ['blob', 'blob.', '.pptx', 'deck.odd', 'a.pp tx', '--view=values', 'line\u2028end.pptx'])
        copyFileSync(deck, path.join(place, name));
      symlinkSync('loop.pdf', path.join(place, 'loop.pdf'));
      for (const name of ['locked.pdf', 'locked', 'locked.odd'])
        chmodSync(writeFile(path.join(place, name), 'x'), 0o000);
      const names = [...readdirSync(place), 'gone.pdf', 'gone', `${'n'.repeat(300)}.pdf`, 'deck.pptx/x.pdf', '.'];
      // Root may read everything; an unprivileged user may not.
      const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
      const openUp = (file: string) => spawnSync('chmod', ['-R', 'a+rX', file]);
      openUp(folder);
      for (const name of names) {
        const file = path.join(place, name);
        const native = spawnSync(ENGINE, ['--', file], { encoding: 'utf8', ...user });
        const wasm = spawnSync(process.execPath, [runner, '--', file], { encoding: 'utf8', ...user });
        expect(wasm.stderr, name).toBe('');
        expect(comparable(JSON.parse(wasm.stdout)), name).toEqual(comparable(JSON.parse(native.stdout)));
        expect(wasm.status, name).toBe(native.status);
      }
      const input = names.map((name) => `${JSON.stringify({ path: path.join(place, name) })}\n`).join('');
      const [native, wasm] = [
        spawnSync(ENGINE, ['--jsonl'], { encoding: 'utf8', input, ...user }),
        spawnSync(process.execPath, [runner, '--jsonl'], { encoding: 'utf8', input, ...user }),
      ];
      const reports = (text: string) =>
        text
          .trim()
          .split('\n')
          .map((line) => comparable(JSON.parse(line)));
      expect(reports(wasm.stdout)).toEqual(reports(native.stdout));
      expect(wasm.status).toBe(native.status);
    },
  );

  it.each([
    ['a=b=low'],
    ['=low'],
    ['x'],
    ['document.title=high,y'],
    ['document.title='],
    ['document.title=high,author=low'],
  ])('says of the target confidence %s what the command line says', async (item) => {
    const { folder } = await start(installWasm);
    const runner = path.join(folder, 'dist', 'engine', 'wasm', 'runner.js');
    const args = ['--targets=@summary', `--target-confidence=${item}`, '--', fixture('deck.pptx')];
    const native = spawnSync(ENGINE, args, { encoding: 'utf8' });
    const wasm = spawnSync(process.execPath, [runner, ...args], { encoding: 'utf8' });
    expect(comparable(JSON.parse(wasm.stdout))).toEqual(comparable(JSON.parse(native.stdout)));
    expect(wasm.status).toBe(native.status);
  });

  it('routes and displays by the name that was asked for', async () => {
    const root = temporaryFolder();
    copyFileSync(fixture('deck.pptx'), path.join(root, 'blob'));
    symlinkSync('blob', path.join(root, 'Deck.pptx'));
    const { call } = await start(installWasm, { DECKPROBE_MCP_ROOTS: root });
    const { value } = await call('probe', { path: path.join(root, 'Deck.pptx') });
    expect(value).toMatchObject({ status: 'ok', input: { display_name: 'Deck.pptx' } });
    expect(await call('probe', { path: path.join(root, 'blob') })).toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
  });

  it('a file larger than memory can hold is an engine failure that names its size', async () => {
    const file = writeFile(path.join(temporaryFolder(), 'huge.pdf'), '');
    truncateSync(file, 2 ** 31);
    const { call } = await start(installWasm);
    const { code, value } = await call('probe', { path: file });
    expect(code).toBe('MCP_ENGINE_FAILURE');
    expect(JSON.stringify(value)).toContain('2147483648 bytes, more than the WebAssembly engine can hold');
    const batch = await call('probe_batch', { paths: [fixture('deck.pptx'), file, fixture('talk.key')] });
    expect(entryOutcomes(batch.value)).toEqual(['ok', 'MCP_ENGINE_FAILURE', 'ok']);
  });
});

describe.runIf(REAL_SDK === undefined)('a WebAssembly engine that misbehaves', () => {
  function misbehaving(...names: string[]): string[] {
    const folder = temporaryFolder();
    return names.map((name) => {
      const file = path.join(folder, name);
      copyFileSync(fixture('deck.pptx'), file);
      return file;
    });
  }

  it('and never returns ends at the deadline, while ping is answered', async () => {
    const { server, call } = await start(installWasm, { DECKPROBE_MCP_TIMEOUT_MS: '1500' });
    const [file = ''] = misbehaving('hang.pptx');
    const hanging = call('probe', { path: file });
    server.send({ jsonrpc: '2.0', id: 900, method: 'ping' });
    await server.answer(900);
    expect(server.messages.some(({ id }) => id === 1)).toBe(false);
    expect((await hanging).code).toBe('MCP_TIMEOUT');
    const pid = Number(/MCP_TIMEOUT after \d+ ms, pid (\d+)/.exec(server.stderr.join(''))?.[1]);
    await allGone([pid]);
    expect((await call('probe', { path: fixture('deck.pptx') })).value.status).toBe('ok');
  });

  it.each(['crash', 'abort'])('and ends by %s costs one entry of a batch', async (how) => {
    const { call } = await start(installWasm);
    const paths = misbehaving('a.pptx', `${how}.pptx`, 'b.pptx');
    const { value } = await call('probe_batch', { paths });
    expect(entryOutcomes(value)).toEqual(['ok', 'MCP_ENGINE_FAILURE', 'ok']);
    const single = await call('probe', { path: paths[1] });
    expect(single.code).toBe('MCP_ENGINE_FAILURE');
    if (how === 'crash') expect(JSON.stringify(single.value)).toContain('unreachable');
  });
});

describe('without any engine', () => {
  it('tools list, and a call tells the platform, the package, the causes and the ways out', async () => {
    const { server, call } = await start(() => {});
    server.send({ jsonrpc: '2.0', id: 700, method: 'tools/list' });
    expect(((await server.answer(700)).result as { tools: Json[] }).tools).toHaveLength(4);
    for (const [tool, args] of [
      ['probe', { path: fixture('deck.pptx') }],
      ['list_formats', {}],
    ] as const) {
      const { code, value } = await call(tool, args);
      expect(code).toBe('MCP_ENGINE_NOT_FOUND');
      const text = JSON.stringify(value);
      for (const word of [
        process.platform,
        process.arch,
        '@deckflow/deckprobe-',
        'WebAssembly',
        'optional dependencies',
        'another platform',
        'registry',
      ])
        expect(text).toContain(word);
    }
  });

  it('an engine that is installed meanwhile is found by the next call', async () => {
    const { folder, call } = await start(() => {});
    expect((await call('probe', { path: fixture('deck.pptx') })).code).toBe('MCP_ENGINE_NOT_FOUND');
    installWasm(folder);
    expect((await call('probe', { path: fixture('deck.pptx') })).value).toMatchObject({
      input: { source_kind: 'node_bytes' },
    });
  });

  it('a package that does not load is passed over with its reason', async () => {
    const { server, call } = await start((folder) => {
      writeFile(
        path.join(folder, 'node_modules/@deckflow/deckprobe/package.json'),
        '{"name":"@deckflow/deckprobe","main":"x.js"}',
      );
    });
    const { code, value } = await call('probe', { path: fixture('deck.pptx') });
    expect(code).toBe('MCP_ENGINE_NOT_FOUND');
    expect(JSON.stringify(value)).toMatch(
      /wasm[\\/]+runner\.js.* was passed over: the engine crashed with exit status 70; stderr: deckprobe \(WebAssembly\)/,
    );
    expect(server.stderr.join('')).toContain('was passed over');
  });
});
