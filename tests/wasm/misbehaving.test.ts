import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { entryOutcomes } from '../helpers/clients.js';
import { allGone } from '../helpers/engines.js';
import { fixture, temporaryFolder } from '../helpers/files.js';
import { installWasm, REAL_SDK } from '../helpers/installation.js';
import { startInstalled } from '../helpers/wasm.js';

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
    const { server, call } = await startInstalled(installWasm, { DECKPROBE_MCP_TIMEOUT_MS: '4000' });
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
    const { call } = await startInstalled(installWasm);
    const paths = misbehaving('a.pptx', `${how}.pptx`, 'b.pptx');
    const { value } = await call('probe_batch', { paths });
    expect(entryOutcomes(value)).toEqual(['ok', 'MCP_ENGINE_FAILURE', 'ok']);
    const single = await call('probe', { path: paths[1] });
    expect(single.code).toBe('MCP_ENGINE_FAILURE');
    if (how === 'crash') expect(JSON.stringify(single.value)).toContain('unreachable');
  });
});
