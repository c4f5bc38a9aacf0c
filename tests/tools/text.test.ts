import { describe, expect, it } from 'vitest';
import { losesDigits, renderText } from '../../src/tools/text.js';
import { call, connect } from '../helpers/clients.js';
import { fakeEngine } from '../helpers/engines.js';
import { fixture } from '../helpers/files.js';

describe('text', () => {
  it('is indented up to 8,192 bytes and compact beyond', () => {
    const small = { a: ['b', { c: 1 }] };
    expect(renderText(small, JSON.stringify(small))).toBe(JSON.stringify(small, null, 2));
    // Compact it fits, indented it does not.
    const wide = { a: Array.from({ length: 1500 }, () => 1) };
    expect(renderText(wide, JSON.stringify(wide))).toBe(JSON.stringify(wide));
    const large = { a: 'é'.repeat(8000) };
    expect(renderText(large, JSON.stringify(large))).toBe(JSON.stringify(large));
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
  ])('losesDigits(%s) is %s', (json, expected) => {
    expect(losesDigits(json)).toBe(expected);
  });

  it('reaches the client with all its digits', async () => {
    const line = '{"status":"ok","n":9007199254740993}';
    const { client } = await connect({ bin: fakeEngine(`echo '${line}'`).bin });
    expect((await call(client, 'probe', { path: fixture('deck.pptx') })).text).toBe(line);
  });
});
