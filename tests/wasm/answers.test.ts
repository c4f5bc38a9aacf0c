import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, symlinkSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { probeFlags } from '../../src/engine/flags.js';
import { entryOutcomes } from '../helpers/clients.js';
import { askEngine, ENGINE, type Json } from '../helpers/engines.js';
import { canLink, fixture, temporaryFolder, writeFile } from '../helpers/files.js';
import { installWasm } from '../helpers/installation.js';
import { comparable, DOCUMENTS, OPTION_SETS, startInstalled, WHICH } from '../helpers/wasm.js';

describe(`WebAssembly (${WHICH})`, () => {
  it.each(OPTION_SETS)(
    "answers every document with the native engine's answer, with %j",
    { timeout: 240_000 },
    async (options) => {
      const { call } = await startInstalled(installWasm);
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
    const { server, call } = await startInstalled(installWasm);
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

  // It is about permission bits, links and names that Windows does not have.
  it.skipIf(process.platform === 'win32' || (process.getuid?.() === 0 && process.platform !== 'linux'))(
    'says of paths what the command line says',
    async () => {
      const { folder } = await startInstalled(installWasm);
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
    const { folder } = await startInstalled(installWasm);
    const runner = path.join(folder, 'dist', 'engine', 'wasm', 'runner.js');
    const args = ['--targets=@summary', `--target-confidence=${item}`, '--', fixture('deck.pptx')];
    const native = spawnSync(ENGINE, args, { encoding: 'utf8' });
    const wasm = spawnSync(process.execPath, [runner, ...args], { encoding: 'utf8' });
    expect(comparable(JSON.parse(wasm.stdout))).toEqual(comparable(JSON.parse(native.stdout)));
    expect(wasm.status).toBe(native.status);
  });

  it.runIf(canLink)('routes and displays by the name that was asked for', async () => {
    const root = temporaryFolder();
    copyFileSync(fixture('deck.pptx'), path.join(root, 'blob'));
    symlinkSync('blob', path.join(root, 'Deck.pptx'));
    const { call } = await startInstalled(installWasm, { DECKPROBE_MCP_ROOTS: root });
    const { value } = await call('probe', { path: path.join(root, 'Deck.pptx') });
    expect(value).toMatchObject({ status: 'ok', input: { display_name: 'Deck.pptx' } });
    expect(await call('probe', { path: path.join(root, 'blob') })).toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
  });

  it('a file larger than memory can hold is an engine failure that names its size', async () => {
    const file = writeFile(path.join(temporaryFolder(), 'huge.pdf'), '');
    truncateSync(file, 2 ** 31);
    const { call } = await startInstalled(installWasm);
    const { code, value } = await call('probe', { path: file });
    expect(code).toBe('MCP_ENGINE_FAILURE');
    expect(JSON.stringify(value)).toContain('2147483648 bytes, more than the WebAssembly engine can hold');
    const batch = await call('probe_batch', { paths: [fixture('deck.pptx'), file, fixture('talk.key')] });
    expect(entryOutcomes(batch.value)).toEqual(['ok', 'MCP_ENGINE_FAILURE', 'ok']);
  });
});
