import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../helpers/engines.js';
import { fixture, writeFile } from '../helpers/files.js';
import { installNative, installWasm } from '../helpers/installation.js';
import { startInstalled } from '../helpers/wasm.js';

describe('the WebAssembly engine', () => {
  it('gives way to a native engine', async () => {
    const { server, call } = await startInstalled((folder) => {
      installWasm(folder);
      installNative(folder);
    });
    expect((await call('probe', { path: fixture('deck.pptx') })).value).toMatchObject({
      input: { source_kind: 'local_file' },
    });
    expect(server.stderr.join('')).toContain('(package)');
  });
});

describe('without any engine', () => {
  it('tools list, and a call tells the platform, the package, the causes and the ways out', async () => {
    const { server, call } = await startInstalled(() => {});
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
    const { folder, call } = await startInstalled(() => {});
    expect((await call('probe', { path: fixture('deck.pptx') })).code).toBe('MCP_ENGINE_NOT_FOUND');
    installWasm(folder);
    expect((await call('probe', { path: fixture('deck.pptx') })).value).toMatchObject({
      input: { source_kind: 'node_bytes' },
    });
  });

  it('a package that does not load is passed over with its reason', async () => {
    const { server, call } = await startInstalled((folder) => {
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
