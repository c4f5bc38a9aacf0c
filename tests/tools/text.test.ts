import { describe, expect, it } from 'vitest';
import { losesDigits, renderText } from '../../src/tools/text.js';
import { call, connect } from '../helpers/clients.js';
import { playedEngine } from '../helpers/engines.js';
import { fixture } from '../helpers/files.js';

describe('text', () => {
  it.each([{ a: ['b', { c: 1 }] }, { a: 'é'.repeat(8000) }, { b: 1, a: 1e21, c: [] }])(
    'is what JSON.stringify makes of the structured content',
    (value) => {
      expect(renderText(value, JSON.stringify(value, null, 2))).toBe(JSON.stringify(value));
    },
  );

  it('is the structured content to the byte in every answer of every tool', async () => {
    const { client } = await connect();
    const calls: [string, object][] = [
      ...['deck.pptx', 'report.pdf', 'workbook.xlsx', 'legacy.xls', 'talk.key'].flatMap((name): [string, object][] => [
        ['probe', { path: fixture(name) }],
        ['probe', { path: fixture(name), targets: ['@all'], level: 'deep', view: 'values' }],
      ]),
      ['probe_batch', { paths: [fixture('deck.pptx'), '/gone.pdf', fixture('corrupt.pdf')] }],
      ['list_formats', {}],
      ['list_targets', { format: 'pdf' }],
      ['list_targets', { format: 'pdf', detail: 'full' }],
    ];
    for (const [name, args] of calls) {
      const { content, structuredContent } = await client.callTool({ name, arguments: { ...args } });
      expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
    }
  });

  it('of an error is the envelope and the hint, which stands in the structured content too', async () => {
    const { client } = await connect();
    for (const [name, args] of [
      ['probe', { path: '/gone.pdf' }],
      ['probe', { path: fixture('corrupt.pdf') }],
      ['probe_batch', { paths: [] }],
      ['list_targets', { format: 'tsv' }],
    ] as const) {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...args } });
      const { hint, ...envelope } = structuredContent as { hint: string };
      expect(isError).toBe(true);
      expect(hint).toBeTruthy();
      expect(content).toEqual([{ type: 'text', text: `${JSON.stringify(envelope)}\nHint: ${hint}` }]);
    }
  });

  it("is the engine's own where parsing loses digits", () => {
    const line = '{"a":9007199254740993,"b":"x"}';
    expect(renderText(JSON.parse(line), line)).toBe(line);
  });

  it.each([
    ['{"a":9007199254740993}', true],
    ['{"a":-9007199254740993}', true],
    ['[12345678901234567891]', true],
    ['{"a":9007199254740992}', false],
    ['{"a":"9007199254740993"}', false],
    ['{"a\\"9007199254740993":1}', false],
    ['{"a":1.7777777777777777}', false],
    ['{"a":0.1234567890123456789}', false],
    ['{"a":1}', false],
    ['{"a":1.2,"b":9007199254740993}', true],
    [`{"a":${'9'.repeat(400)}}`, true],
    [`{"a":${'9'.repeat(400_000)}}`, true],
    // To look at each digit from each digit would take minutes.
    [`{"a":0.${'1'.repeat(1_000_000)}}`, false],
    [`{"a":0.${'1'.repeat(1_000_000)},"b":9007199254740993}`, true],
  ])('losesDigits(%.60s) is %s', (json, expected) => {
    expect(losesDigits(json)).toBe(expected);
  });

  it('reaches the client with all its digits', async () => {
    const line = '{"status":"ok","n":9007199254740993}';
    const { client } = await connect({ bin: playedEngine(`print(${JSON.stringify(line)})`).bin });
    expect((await call(client, 'probe', { path: fixture('deck.pptx') })).text).toBe(line);
  });
});
