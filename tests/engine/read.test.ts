import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTPUT_LIMIT } from '../../src/engine/call.js';
import { LineReader } from '../../src/engine/read/lines.js';
import { failureOf, startEngine } from '../helpers/engine-under-test.js';
import { askEngine, CRASH, playedEngine } from '../helpers/engines.js';
import { fixture, temporaryFolder } from '../helpers/files.js';

describe('answers', () => {
  it("are the engine's own, reports and error envelopes alike", async () => {
    const { engine } = startEngine();
    for (const name of ['deck.pptx', 'corrupt.pdf', 'no-such-file.pdf', '.']) {
      const call = engine.startCall();
      const input = { requested: name, path: fixture(name) };
      expect(await engine.probe(input, {}, call)).toEqual({ kind: 'answer', ...askEngine(['--', fixture(name)]) });
      call.end();
    }
  });

  it('route and display by the requested name, and echo the requested path', async () => {
    const folder = temporaryFolder();
    const blob = path.join(folder, 'blob');
    copyFileSync(fixture('deck.pptx'), blob);
    const { engine } = startEngine();
    const call = engine.startCall();
    const named = await engine.probe({ requested: 'x/Deck.pptx', path: blob, name: 'Deck.pptx' }, {}, call);
    expect(named).toMatchObject({ kind: 'answer', value: { status: 'ok', input: { display_name: 'Deck.pptx' } } });
    const wrong = await engine.probe({ requested: 'x/Deck.docx', path: blob, name: 'Deck.docx' }, {}, call);
    expect(wrong).toMatchObject({ value: { error: { code: 'MALFORMED_INPUT' }, input: { path: 'x/Deck.docx' } } });
    call.end();
  });
});

describe('an answer that is none', () => {
  it.each<[string, string, RegExp]>([
    ['prints nothing', '', /exit status 0 and printed no output/],
    ['prints junk', `print('hello')`, /exit status 0 and printed 6 bytes that are not one JSON object/],
    ['prints half an answer', `fs.writeSync(1, '{"status":"ok"')`, /14 bytes that are not one JSON object/],
    ['prints two answers', 'print(REPORT); print(REPORT);', /not one JSON object/],
    ['prints an array', `print('[]')`, /not one JSON object/],
    ['crashes after an answer', 'print(REPORT); crash();', CRASH],
    ['panics', `complain('thread main panicked'); process.exit(101);`, /exit status 101; stderr: thread main panicked/],
  ])('one that %s is an engine failure', async (_, script, message) => {
    const { probe, log } = startEngine({ bin: playedEngine(script).bin });
    const failure = failureOf(await probe());
    expect(failure.code).toBe('MCP_ENGINE_FAILURE');
    expect(failure.message).toMatch(message);
    expect(log.at(-1)).toMatch(/^MCP_ENGINE_FAILURE .* after \d+ ms, pid \d+, "deck\.pptx"$/s);
  });
});

describe('a line longer than output may be', () => {
  // On Windows output comes in pieces as large as what the pipe holds.
  it.each([
    ['in one piece', [OUTPUT_LIMIT + 1]],
    ['in pieces', [1, OUTPUT_LIMIT / 2, OUTPUT_LIMIT / 2]],
  ])('is none, though its end came %s', (_, sizes) => {
    const lines: string[] = [];
    const reader = new LineReader((line) => lines.push(line) > 0);
    expect(reader.add(Buffer.from('short\n'))).toBe(0);
    const pieces = sizes.map((size) => Buffer.alloc(size, '0'));
    const last = Buffer.concat([pieces.pop() ?? Buffer.of(), Buffer.from('\n')]);
    for (const piece of pieces) expect(reader.add(piece)).toBeLessThanOrEqual(OUTPUT_LIMIT);
    expect(reader.add(last)).toBe(OUTPUT_LIMIT + 1);
    expect(lines).toEqual(['short']);
  });
});
