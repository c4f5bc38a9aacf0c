import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { caveatsFor } from '../../src/gaps.js';
import { call, connect } from '../helpers/clients.js';
import { askEngine, type Json, playedEngine } from '../helpers/engines.js';
import { fixture, temporaryFolder, writeFile } from '../helpers/files.js';

const FORMATS =
  'pdf docx docm dotx dotm xlsx xlsm xltx xltm xlsb pptx pptm ppsx ppsm potx potm key numbers pages doc xls ppt'.split(
    ' ',
  );

interface Target {
  id: string;
  aliases: string[];
  applicable: boolean;
}

describe('list_formats', () => {
  it("is the engine's own answer", async () => {
    const { client } = await connect();
    const { value, json, isError } = await call(client, 'list_formats');
    expect(value).toEqual(askEngine(['formats']).value);
    expect(JSON.parse(json)).toEqual(value);
    expect(isError).toBe(false);
  });

  it('takes no arguments', async () => {
    const { client } = await connect();
    const { code, value } = await call(client, 'list_formats', { format: 'pdf' });
    expect(code).toBe('MCP_INVALID_ARGUMENT');
    expect(JSON.stringify(value)).toContain('takes no arguments');
  });
});

describe('list_targets', () => {
  it.each(FORMATS)(
    'of %s: full is verbatim, compact is at most 0.40 of it and names all that can be named',
    async (format) => {
      const { client } = await connect();
      const own = askEngine(['targets', `--format=${format}`]).value as Json & { targets: Target[] };
      const full = await call(client, 'list_targets', { format, detail: 'full' });
      expect(full.value).toEqual(own);
      const compact = await call(client, 'list_targets', { format });
      expect(Buffer.byteLength(compact.text) / Buffer.byteLength(full.text)).toBeLessThanOrEqual(0.4);
      expect(JSON.parse(compact.text)).toEqual(compact.value);

      const { targets, not_applicable, ...identity } = compact.value as Json & {
        targets: Target[];
        not_applicable: string[];
      };
      const { schema_version, tool_version, status, driver, profile } = own;
      expect(identity).toEqual({ schema_version, tool_version, status, driver, profile });
      const applicable = own.targets.filter((target) => target.applicable);
      expect(targets.map(({ id }) => id)).toEqual(applicable.map(({ id }) => id));
      expect(not_applicable).toEqual(own.targets.filter((target) => !target.applicable).map(({ id }) => id));
      for (const [index, target] of targets.entries()) {
        const { id, aliases = [], caveat, ...kept } = target as Target & { caveat?: string };
        expect(caveat, id).toBe(caveatsFor(String(own.profile)).get(id));
        expect(applicable[index]).toMatchObject(kept);
        // Every alias can be told from what is left: the id's last part, or the list.
        const last = id.slice(id.indexOf('.') + 1);
        expect(new Set([last, ...aliases])).toEqual(new Set([last, ...(applicable[index]?.aliases ?? [])]));
        expect(Object.keys(kept)).toEqual(['description', 'value_type', 'min_level', 'selectors']);
      }
    },
  );

  it('takes any letter case and a leading dot', async () => {
    const { client } = await connect();
    const expected = (await call(client, 'list_targets', { format: 'pptx' })).value;
    for (const format of ['PPTX', '.pptx', '.PpTx'])
      expect((await call(client, 'list_targets', { format })).value).toEqual(expected);
  });

  it.each(['', 'tsv', '--help', '..pptx', 'pptx,pdf', 'a b'])('passes the refusal of %j on', async (format) => {
    const { client } = await connect();
    const { code, isError, hint } = await call(client, 'list_targets', { format });
    expect([code, isError]).toEqual(['UNSUPPORTED_FORMAT', true]);
    expect(hint).toContain('list_formats');
  });
});

describe('the cache', () => {
  it('lets a burst of first calls share one process, by format', async () => {
    const fake = playedEngine('sleep(100); print(REPORT);');
    const { client } = await connect({ bin: fake.bin });
    const burst = [
      ...Array.from({ length: 8 }, () => call(client, 'list_formats')),
      call(client, 'list_targets', { format: 'pdf' }),
      call(client, 'list_targets', { format: '.PDF', detail: 'full' }),
    ];
    for (const answer of await Promise.all(burst)) expect(answer.isError).toBe(false);
    await call(client, 'list_formats');
    await call(client, 'list_targets', { format: 'pdf' });
    expect(
      fake
        .starts()
        .map(({ args }) => args)
        .sort(),
    ).toEqual(['--version', 'formats', 'targets --format=pdf']);
  });

  it('keeps no failure and no error envelope', async () => {
    const error = '{"status":"error","error":{"code":"UNSUPPORTED_FORMAT","message":"m","exit_code":3}}';
    // Crashes at first, refuses then, and answers at last.
    const fake = playedEngine(`
      const starts = fs.readFileSync(LOG, 'utf8').match(/formats/g).length;
      if (starts === 1) crash();
      print(starts === 2 ? ${JSON.stringify(error)} : REPORT);`);
    const { client } = await connect({ bin: fake.bin });
    const codes = [];
    for (let round = 0; round < 4; round += 1) codes.push((await call(client, 'list_formats')).code);
    expect(codes).toEqual(['MCP_ENGINE_FAILURE', 'UNSUPPORTED_FORMAT', undefined, undefined]);
    expect(fake.starts()).toHaveLength(1 + 3);
  });

  it('goes on for those that wait while one of them leaves', async () => {
    const go = path.join(temporaryFolder(), 'go');
    const fake = playedEngine(`while (!fs.existsSync(${JSON.stringify(go)})) sleep(10); print(REPORT);`);
    const { client } = await connect({ bin: fake.bin });
    const leaving = new AbortController();
    const left = client.callTool({ name: 'list_formats' }, { signal: leaving.signal });
    const stays = call(client, 'list_formats');
    await fake.started(2);
    leaving.abort();
    await expect(left).rejects.toThrow();
    writeFile(go, '');
    expect((await stays).isError).toBe(false);
    expect(fake.starts()).toHaveLength(2);
  });
});

describe('deckprobe://schema', () => {
  it("is the engine's schema, read once", async () => {
    const { client } = await connect();
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([{ uri: 'deckprobe://schema', mimeType: 'application/json' }]);
    const { contents } = await client.readResource({ uri: 'deckprobe://schema' });
    const own = askEngine(['schema']);
    expect(contents).toEqual([{ uri: 'deckprobe://schema', mimeType: 'application/json', text: own.text }]);
  });

  it('shares one process among its readers', async () => {
    const fake = playedEngine(`sleep(100); print('{"$schema":"x"}');`);
    const { client } = await connect({ bin: fake.bin });
    await Promise.all([1, 2, 3].map(() => client.readResource({ uri: 'deckprobe://schema' })));
    expect(fake.starts().map(({ args }) => args)).toEqual(['--version', 'schema']);
  });

  it('fails as a protocol error that carries the envelope', async () => {
    const { client } = await connect({ bin: fixture('deck.pptx') });
    await expect(client.readResource({ uri: 'deckprobe://schema' })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('DECKPROBE_MCP_BIN'),
      data: { status: 'error', error: { code: 'MCP_ENGINE_NOT_FOUND', exit_code: 6 } },
    });
  });
});
