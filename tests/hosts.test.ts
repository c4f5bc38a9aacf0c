import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtBin, call, connect } from './helpers/clients.js';
import { askEngine, type Json, playedEngine } from './helpers/engines.js';
import { fixture } from './helpers/files.js';

const DECK = fixture('deck.pptx');

describe('arguments as hosts and models send them', () => {
  it.each<[string, Json]>([
    ['an array as its JSON text', { path: DECK, targets: '["document.title","slide_count"]' }],
    ['a lone string for an array', { path: DECK, targets: '@summary' }],
    ['an object as its JSON text', { path: DECK, budget: '{"timeout_ms":600000}' }],
    [
      'a map as its JSON text',
      { path: DECK, targets: ['document.title'], target_confidence: '{"document.title":"low"}' },
    ],
    [
      'null for optional fields',
      { path: DECK, targets: null, level: null, view: null, budget: null, min_confidence: null },
    ],
    ['null inside the budget', { path: DECK, budget: { timeout_ms: null } }],
    [
      'nothing for optional fields',
      { path: DECK, targets: '', level: '', view: '', budget: '', target_confidence: '' },
    ],
    ['"null" for optional fields', { path: DECK, targets: 'null', level: 'null', view: 'null', budget: 'null' }],
    ['"null" inside the budget', { path: DECK, budget: { timeout_ms: 'null' }, target_confidence: 'null' }],
    ['digits for a number', { path: DECK, budget: { timeout_ms: '5000', max_archive_entries: '10000' } }],
    ['task_progress beside the arguments', { path: DECK, task_progress: '- [ ] look at the deck' }],
  ])('probe accepts %s', async (_, args) => {
    const { client } = await connect();
    expect((await call(client, 'probe', args)).isError).toBe(false);
  });

  it('means by them what was meant', async () => {
    const { client } = await connect();
    const probe = async (args: Json) => (await call(client, 'probe', { path: DECK, view: 'values', ...args })).value;
    const own = (...flags: string[]) => askEngine(['--view=values', ...flags, '--', DECK]).value;
    expect(await probe({ targets: '["document.title","slide_count"]' })).toEqual(
      own('--targets=document.title,slide_count'),
    );
    expect(await probe({ targets: '@summary' })).toEqual(own('--targets=@summary'));
    expect(await probe({ targets: '[broken' })).toEqual(own('--targets=[broken'));
    expect(await probe({ budget: '{"max_archive_entries":1}' })).toEqual(own('--max-archive-entries=1'));
    expect(await probe({ budget: { max_archive_entries: '1' } })).toEqual(own('--max-archive-entries=1'));
    expect(await probe({ targets: '', level: 'null', budget: '' })).toEqual(own());
    expect(await probe({ task_progress: 'x', targets: ['@header'] })).toEqual(own('--targets=@header'));
  });

  it.each<[string, Json, string[]]>([
    ['an array as its JSON text', { paths: JSON.stringify([DECK, '/x']) }, [DECK, '/x']],
    ['a lone string', { paths: DECK }, [DECK]],
  ])('probe_batch accepts %s', async (_, args, paths) => {
    const { client } = await connect();
    const { value, isError } = await call(client, 'probe_batch', args);
    expect(isError).toBe(false);
    expect(value.reports).toMatchObject(paths.map((path) => ({ path })));
  });

  it('missing arguments count as none', async () => {
    const { client } = await connect();
    expect((await call(client, 'list_formats')).isError).toBe(false);
    expect((await call(client, 'probe')).code).toBe('MCP_INVALID_ARGUMENT');
  });

  it.each<[string, Json]>([
    ['null for a required field', { path: null }],
    ['a number as other text', { path: DECK, budget: { timeout_ms: '5e2' } }],
    ['a number below its bounds as text', { path: DECK, budget: { timeout_ms: '0' } }],
    ['a fraction as text', { path: DECK, budget: { timeout_ms: '500.5' } }],
    ['nothing for a number', { path: DECK, budget: { timeout_ms: '' } }],
    ['nothing for the path', { path: '' }],
    ['task_progress further in', { path: DECK, budget: { task_progress: 'x' } }],
    ['another key that no tool has', { path: DECK, progress: 'x' }],
    ['text that is no JSON for an object', { path: DECK, budget: 'large' }],
    ['a JSON array for an object', { path: DECK, budget: '[]' }],
    ['an object for an array', { path: DECK, targets: '{}' as unknown as Json, budget: [] }],
  ])('but not %s', async (_, args) => {
    const { client } = await connect();
    expect((await call(client, 'probe', args)).code).toBe('MCP_INVALID_ARGUMENT');
  });
});

describe('a budget of 0', () => {
  it('is an error that names the valid range', async () => {
    const { client } = await connect();
    const { code, value } = await call(client, 'probe', { path: DECK, budget: { max_archive_entries: 0 } });
    expect(code).toBe('MCP_INVALID_ARGUMENT');
    expect(value.error).toMatchObject({ message: expect.stringContaining('a whole number from 1 to 1000000') });
  });
});

describe("a client of the SDK's version 1", () => {
  async function connectV1(env: Record<string, string> = {}): Promise<ClientV1> {
    const client = new ClientV1({ name: 'v1', version: '1.0.0' });
    await client.connect(new StdioV1(builtBin(env)));
    onTestFinished(() => client.close());
    // Only after it has listed the tools does it hold answers against their output schemas.
    await client.listTools();
    return client;
  }

  it('accepts every kind of answer, errors included', async () => {
    const client = await connectV1();
    const calls: [string, Json, boolean][] = [
      ['probe', { path: DECK }, false],
      ['probe', { path: DECK, view: 'values' }, false],
      ['probe', { path: fixture('corrupt.pdf') }, true],
      ['probe', { path: '/gone.pdf' }, true],
      ['probe', { path: 7 }, true],
      ['probe_batch', { paths: [DECK, '/gone.pdf', fixture('corrupt.pdf')] }, false],
      ['probe_batch', { paths: [] }, true],
      ['list_formats', {}, false],
      ['list_formats', { x: 1 }, true],
      ['list_targets', { format: 'pdf' }, false],
      ['list_targets', { format: 'pdf', detail: 'full' }, false],
      ['list_targets', { format: 'tsv' }, true],
    ];
    for (const [name, args, isError] of calls) {
      const result = await client.callTool({ name, arguments: args });
      expect(result.isError === true, `${name} ${JSON.stringify(args)}`).toBe(isError);
      expect(result.structuredContent, name).toBeTypeOf('object');
    }
    const { contents } = await client.readResource({ uri: 'deckprobe://schema' });
    expect(contents).toHaveLength(1);
  });

  it('accepts the answers of a server that has no engine or runs out of time', async () => {
    const without = await connectV1({ DECKPROBE_MCP_BIN: '/nowhere' });
    const late = await connectV1({
      DECKPROBE_MCP_BIN: playedEngine('hang()').bin,
      DECKPROBE_MCP_TIMEOUT_MS: '1500',
    });
    for (const client of [without, late]) {
      const calls = [
        { name: 'probe', arguments: { path: DECK } },
        { name: 'probe_batch', arguments: { paths: [DECK] } },
        { name: 'list_formats', arguments: {} },
        { name: 'list_targets', arguments: { format: 'pdf' } },
      ];
      const answers = await Promise.all(calls.map((each) => client.callTool(each)));
      expect(answers.map(({ isError }) => isError)).toEqual(calls.map(() => true));
    }
  });
});
