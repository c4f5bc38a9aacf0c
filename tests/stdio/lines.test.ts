import { describe, expect, it } from 'vitest';
import { LINE_LIMIT, LineSplitter, SCAN_OVER } from '../../src/stdio/lines.js';
import type { Refusal } from '../../src/stdio/refusal.js';
import { LineScan } from '../../src/stdio/scan.js';
import { seeded } from '../helpers/random.js';

/** Gives bytes to a splitter in pieces, and collects what it makes of them. */
function split(pieces: Iterable<Buffer>): { lines: string[]; refused: Refusal[] } {
  const lines: string[] = [];
  const refused: Refusal[] = [];
  const splitter = new LineSplitter(
    (line) => lines.push(line.toString('utf8')),
    (refusal) => refused.push(refusal),
  );
  for (const piece of pieces) splitter.add(piece);
  splitter.end();
  return { lines, refused };
}

function* inPieces(bytes: Buffer, length: () => number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const to = at + length();
    yield bytes.subarray(at, to);
    at = to;
  }
}

function scan(text: string, length = () => text.length + 1): LineScan {
  const result = new LineScan();
  for (const piece of inPieces(Buffer.from(text), length)) result.add(piece);
  return result;
}

describe('cutting bytes into lines', () => {
  it('gives each line byte for byte, however the bytes are cut', () => {
    const random = seeded(7);
    const long = `"${'ü€😀'.repeat(SCAN_OVER / 8)}"`;
    const lines = [
      '{"a":"日本\\u0041 \\\\"}',
      '',
      ' ',
      long,
      'x',
      '\ufeff{}',
      `${long}${long}`,
      'no line feed at the end',
    ];
    const bytes = Buffer.from(lines.join('\n'));
    const cuts = [() => bytes.length, () => 1 + random.below(9), () => 65_536, () => 1 + random.below(200_000)];
    for (const cut of cuts) expect(split(inPieces(bytes, cut))).toEqual({ lines, refused: [] });
  });

  it('takes a line of exactly the longest length, and refuses one byte more under its id', () => {
    const line = (length: number) => {
      const head = '{"jsonrpc":"2.0","method":"ping","params":{"x":"';
      const tail = '"},"id":"the last"}';
      return Buffer.from(`${head}${'x'.repeat(length - head.length - tail.length)}${tail}\n`);
    };
    expect(split([line(LINE_LIMIT)]).lines[0]).toHaveLength(LINE_LIMIT);
    const { lines, refused } = split([...inPieces(line(LINE_LIMIT + 1), () => 65_536), Buffer.from('next\n')]);
    expect(lines).toEqual(['next']);
    expect(refused).toEqual([{ code: -32600, message: expect.stringContaining('10485760 bytes'), id: '"the last"' }]);
  });

  it('holds nothing of a line without end', () => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    function* endless() {
      for (let megabytes = 0; megabytes < 200; megabytes += 1) yield piece;
    }
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    function* watched() {
      for (const each of endless()) {
        yield each;
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      }
    }
    expect(split(watched()).refused).toHaveLength(1);
    // Of a line that is still allowed 10 MiB are held, twice that while the space for it grows.
    expect(most).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('long lines that cost too much to parse', () => {
  const wide = (values: number) =>
    `{"method":"tools/call","params":[${'"0123456789",'.repeat(values)}0],"id":5,"jsonrpc":"2.0"}`;
  const deep = (levels: number, text = 'x'.repeat(SCAN_OVER)) =>
    `{"id":6,"method":"m","text":"${text}","params":${'['.repeat(levels)}${']'.repeat(levels)}}`;

  it.each([
    ['100,000 values', wide(100_000 - 6), undefined],
    ['100,001 values', wide(100_000 - 5), '100000 values'],
    ['64 levels', deep(63), undefined],
    ['65 levels', deep(64), '64 levels'],
    ['65 levels in a short line', deep(64, ''), undefined],
  ])('%s', (_, line, reason) => {
    const { lines, refused } = split(inPieces(Buffer.from(`${line}\n`), () => 65_536));
    if (reason === undefined) expect(lines).toEqual([line]);
    else expect(refused).toMatchObject([{ code: -32600, message: expect.stringContaining(reason) }]);
  });

  it.each([
    ['an id before', '{"id":1,"method":"m","params":X}', '1'],
    ['an id after', '{"method":"m","params":X,"id":1}', '1'],
    ['an id among spaces', '{ "method" : "m" , "params" : X , "id" : -12 }', '-12'],
    ['the last of two ids', '{"id":1,"method":"m","params":X,"id":2}', '2'],
    ['an id that is text with escapes', '{"method":"m","params":X,"id":"\\"a,\\\\"}', '"\\"a,\\\\"'],
    ['an id that is text beyond ASCII', '{"method":"m","params":X,"id":"日本"}', '"日本"'],
    ['an id of 19 digits', '{"method":"m","params":X,"id":9223372036854775807}', '9223372036854775807'],
    ['an id that is a fraction', '{"method":"m","params":X,"id":1.5}', 'null'],
    ['an id that is an object', '{"method":"m","params":X,"id":{"id":3}}', 'null'],
    ['an id that is endless', `{"method":"m","params":X,"id":"${'x'.repeat(5000)}"}`, 'null'],
    ['an id further down only', '{"method":"m","params":{"id":3,"x":X}}', undefined],
    ['an id in a text', '{"method":"m","params":X,"x":",\\"id\\":4,"}', undefined],
    ['a notification', '{"method":"m","params":X}', undefined],
    ['an answer', '{"id":4,"result":X}', undefined],
    ['an error', '{"error":X,"id":4}', undefined],
    ['neither', '{"hello":X}', 'null'],
    ['an array', '[{"id":4,"method":"m","params":X}]', 'null'],
  ])('%s is told from the bytes', (_, line, id) => {
    const random = seeded(11);
    const bytes = Buffer.from(`${line.replace('X', `[${'0,'.repeat(SCAN_OVER)}0]`)}\n`);
    for (const cut of [() => 65_536, () => 1 + random.below(100_000)])
      expect(split(inPieces(bytes, cut)).refused).toMatchObject([{ code: -32600, id }]);
  });
});

describe('the scan of a line', () => {
  /** What a parser makes of the same text. */
  function measure(value: unknown): { deepest: number; values: number } {
    if (typeof value !== 'object' || value === null) return { deepest: 0, values: 1 };
    const parts = Object.values(value).map(measure);
    return {
      deepest: 1 + Math.max(0, ...parts.map(({ deepest }) => deepest)),
      values: parts.reduce((sum, { values }) => sum + values, 1),
    };
  }

  it('counts as a parser does, however the bytes are cut', () => {
    const random = seeded(3);
    const text = () => random.pick(['', 'a', '"', '\\', '[{,:}]', '日本😀', '\u0000\n', 'id', 'method']);
    const make = (depth: number): unknown => {
      if (depth === 0 || random.chance(0.3)) return random.pick([text(), 0, -1.5e7, true, null, [], {}]);
      const parts = Array.from({ length: random.below(4) }, () => make(depth - 1));
      return random.chance(0.5) ? parts : Object.fromEntries(parts.map((part, at) => [`${text()}${at}`, part]));
    };
    for (let run = 0; run < 500; run += 1) {
      const id = random.pick([1, 'x', '","', 7_000_000]);
      const value = { id, method: text(), params: make(6) };
      const json = JSON.stringify(value, undefined, random.pick([0, 2]));
      const { deepest, values, id: found } = scan(json, () => 1 + random.below(random.pick([2, 30])));
      expect({ deepest, values, found }, json).toEqual({ ...measure(value), found: JSON.stringify(id) });
    }
  });

  it('takes any bytes', () => {
    const random = seeded(5);
    for (let run = 0; run < 500; run += 1) {
      const bytes = Buffer.from(
        Array.from({ length: 300 }, () => random.pick([...Buffer.from('[]{}",:\\ i'), 0, 255])),
      );
      const result = new LineScan();
      for (const piece of inPieces(bytes, () => 1 + random.below(50))) result.add(piece);
      expect(result.values).toBeGreaterThan(0 - bytes.length);
    }
  });
});
