import { describe, expect, it } from 'vitest';
import { initialize, type Server, sendProbe, startBin } from '../helpers/bin.js';
import { fixture } from '../helpers/files.js';
import { residentMemory } from '../helpers/memory.js';

const ENVELOPE = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`;
const DECK = JSON.stringify(fixture('deck.pptx'));
const MIB = 1024 * 1024;

/** What a line is answered with: an error's code and the id as it stands in the text, a result, or nothing. */
type Expected = { id: unknown; code: number; says: RegExp } | { id: number | string; result: object } | undefined;

const refused = (id: unknown, says: RegExp, code = -32600): Expected => ({ id, code, says });

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

/** Sends a line, then a ping and a probe; @returns what came beside the answers to those. */
async function answersTo(
  server: Server,
  line: string | Buffer,
  ping = 1_000_000,
  due?: number | string,
): Promise<string[]> {
  const known = server.stdout.join('').length;
  server.child.stdin.write(line);
  server.child.stdin.write(`\n{"jsonrpc":"2.0","id":${ping},"method":"ping"}\n`);
  await server.answer(ping);
  // A call takes longer than a ping, and the calls before it may take longer still.
  sendProbe(server, ping + 1);
  await server.answer(ping + 1);
  const text = `"id":${JSON.stringify(due)}`;
  if (due !== undefined)
    await expect.poll(() => server.stdout.join('').slice(known), { timeout: 20_000 }).toContain(text);
  const own = new RegExp(`"id":(${ping}|${ping + 1})\\b`);
  return server.stdout
    .join('')
    .slice(known)
    .split('\n')
    .filter((each) => each !== '' && !own.test(each));
}

const LINES: [string, string | Buffer, Expected][] = [
  ['an empty line', '', undefined],
  ['white space', ' \t \r', undefined],
  ['a byte order mark alone', '\ufeff', undefined],
  ['no JSON', 'hello', refused(null, /not JSON/, -32700)],
  ['half a message', '{"jsonrpc":"2.0","id":7,', refused(null, /not JSON/, -32700)],
  ['a message and a half', '{"jsonrpc":"2.0","id":7,"method":"ping"}{', refused(null, /not JSON/, -32700)],
  ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe]), refused(null, /not JSON/, -32700)],
  ['a NUL', '\0', refused(null, /not JSON/, -32700)],
  ['a text', '"ping"', refused(null, /is a text/)],
  ['a number', '7', refused(null, /is a number|is a fraction/)],
  ['null', 'null', refused(null, /is null/)],
  ['a batch', '[{"jsonrpc":"2.0","id":7,"method":"ping"}]', refused(null, /batches .* line of its own/)],
  ['an empty batch', '[]', refused(null, /batches/)],
  ['a batch of notifications', '[{"jsonrpc":"2.0","method":"x"}]', refused(null, /batches/)],
  ['an empty object', '{}', refused(null, /jsonrpc/)],
  ['an id alone', '{"jsonrpc":"2.0","id":7}', refused(7, /method is missing/)],
  ['no jsonrpc', '{"id":7,"method":"ping"}', refused(7, /jsonrpc has to be "2.0"/)],
  ['another jsonrpc', '{"jsonrpc":"1.0","id":"a","method":"ping"}', refused('a', /jsonrpc/)],
  ['a method that is a number', '{"jsonrpc":"2.0","id":7,"method":1}', refused(7, /method/)],
  [
    'a method that is an object without a text',
    '{"jsonrpc":"2.0","id":null,"method":{"toString":1}}',
    refused(null, /method/),
  ],
  ['a method that nests deep', `{"jsonrpc":"2.0","id":null,"method":${nested(50_000)}}`, refused(null, /method/)],
  ['an id that nests deep', `{"jsonrpc":"2.0","id":${nested(50_000)},"method":"ping"}`, refused(null, /id/)],
  [
    'params that nest deep',
    `{"jsonrpc":"2.0","id":7,"method":"ping","params":${nested(50_000)}}`,
    refused(7, /params/),
  ],
  ['a method that is a number, and no id', '{"jsonrpc":"2.0","method":1,"params":"bar"}', refused(null, /method/)],
  [
    'params that are an array',
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}',
    refused(7, /params is an array/),
  ],
  ['params that are a text', '{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}', refused(7, /params is a text/)],
  ['a member that is not known', '{"jsonrpc":"2.0","id":7,"method":"ping","x":1}', refused(7, /no member "x"/)],
  ['_meta that is a text', '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":""}}', refused(7, /_meta/)],
  [
    'an id beyond 2^53',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    refused('9007199254740993', /2\^53/),
  ],
  [
    'an id beyond -2^53',
    '{"id":-9223372036854775808,"jsonrpc":"2.0","method":"ping"}',
    refused('-9223372036854775808', /2\^53/),
  ],
  ['an id that is endless digits', `{"jsonrpc":"2.0","id":${'9'.repeat(400)},"method":"ping"}`, refused(null, /id is/)],
  ['an id that is a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', refused(null, /id is a fraction/)],
  ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', refused(null, /id is null/)],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', refused(null, /id is an object/)],
  ['an id that is true', '{"jsonrpc":"2.0","id":true,"method":"ping"}', refused(null, /id is a boolean/)],
  // What asks for nothing is never answered.
  [
    'a notification with params that are an array',
    '{"jsonrpc":"2.0","method":"notifications/x","params":[]}',
    undefined,
  ],
  ['a notification of another version', '{"jsonrpc":"1.0","method":"notifications/x"}', undefined],
  ['a notification with a strange member', '{"jsonrpc":"2.0","method":"notifications/x","y":1}', undefined],
  ['a notification with an id that is null', '{"jsonrpc":"2.0","id":null,"method":"notifications/x"}', undefined],
  ['an answer', '{"jsonrpc":"2.0","id":7,"result":{}}', undefined],
  ['an answer without an id', '{"jsonrpc":"2.0","result":{}}', undefined],
  ['an answer with a result that is a text', '{"jsonrpc":"2.0","id":7,"result":"x"}', undefined],
  ['an error without a code', '{"jsonrpc":"2.0","id":7,"error":{}}', undefined],
  ['an error whose id is null', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}', undefined],
  // What is forgiven.
  ['params that are null', '{"jsonrpc":"2.0","id":7,"method":"ping","params":null}', { id: 7, result: {} }],
  ['_meta that is null', '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":null}}', { id: 7, result: {} }],
  ['a byte order mark', '\ufeff{"jsonrpc":"2.0","id":7,"method":"ping"}', { id: 7, result: {} }],
  ['a carriage return', '{"jsonrpc":"2.0","id":7,"method":"ping"}\r', { id: 7, result: {} }],
  ['white space around', ' \t{"jsonrpc":"2.0","id":7,"method":"ping"} ', { id: 7, result: {} }],
  ['an id that is empty', '{"jsonrpc":"2.0","id":"","method":"ping"}', { id: '', result: {} }],
  ...['null', '1.5', '{}', '[]', 'true', '1e300'].map((token): [string, string, Expected] => [
    `a progress token that is ${token}`,
    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"probe","arguments":{"path":${DECK}},"_meta":{"progressToken":${token}}}}`,
    { id: 7, result: { structuredContent: { status: 'ok' } } },
  ]),
];

describe.each(['2025-11-25', '2026-07-28'])('a line over %s', (era) => {
  it('is answered once, or nothing is due', { timeout: 60_000 }, async () => {
    const server = startBin();
    if (era === '2025-11-25') await initialize(server);
    else {
      server.child.stdin.write(`{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{${ENVELOPE}}}}\n`);
      await server.answer(0);
    }
    let ping = 1_000_000;
    for (const [name, line, expected] of LINES) {
      // A revision of 2026 has no ping and wants an envelope with each request; what is refused is refused in both.
      if (era !== '2025-11-25' && expected !== undefined && 'result' in expected) continue;
      ping += 2;
      const due = expected !== undefined && 'result' in expected ? expected.id : undefined;
      const texts = await answersTo(server, line, ping, due);
      const answers = texts.map((text) => ({ ...JSON.parse(text), text }));
      if (expected === undefined) expect(answers, name).toEqual([]);
      else if ('result' in expected) expect(answers, name).toMatchObject([expected]);
      else {
        const error = { code: expected.code, message: expect.stringMatching(expected.says) };
        expect(answers, name).toMatchObject([{ jsonrpc: '2.0', error }]);
        // A long id has to keep all its digits, which a parser here would not show.
        const id = /^-?\d{16,}$/.test(String(expected.id)) ? expected.id : JSON.stringify(expected.id);
        expect(texts[0], name).toContain(`"id":${id},`);
      }
    }
    expect(server.impure).toEqual([]);
  });
});

it.each([null, 1.5])('a progress token that is %s does not keep a 2026-07-28 call from running', async (token) => {
  const server = startBin();
  const call = `"id":1,"method":"tools/call","params":{"name":"probe","arguments":{"path":${DECK}}`;
  server.child.stdin.write(`{"jsonrpc":"2.0",${call},${ENVELOPE},"progressToken":${token}}}}\n`);
  expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
});

it('a byte order mark before the first line does not lose initialize', async () => {
  const server = startBin();
  server.child.stdin.write('\ufeff');
  expect(await initialize(server)).toMatchObject({ result: { serverInfo: { name: 'deckprobe' } } });
});

it('lines may end with a carriage return and a line feed', async () => {
  const server = startBin();
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  server.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\r\n\r\n`);
  server.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n');
  expect(await server.answer(1)).toMatchObject({ result: {} });
  server.child.stdin.end();
  await server.exit();
  expect(server.stderr.join('')).not.toContain('dropped');
});

describe('a long line', () => {
  const call = (params: string, id = '7') => `{"jsonrpc":"2.0","method":"tools/call","params":{${params}},"id":${id}}`;
  const zeros = `[${'0,'.repeat(5 * MIB - 100)}0]`;

  it.each([
    ['over 10 MiB', call(`"x":"${'x'.repeat(11 * MIB)}"`), refused(7, /longer than 10485760 bytes/)],
    ['over 10 MiB, a notification', `{"method":"x","params":"${'x'.repeat(11 * MIB)}"}`, undefined],
    ['of 10 MB of zeros', call(`"name":"probe","arguments":{"targets":${zeros}}`), refused(7, /100000 values/)],
    [
      'of 10 MB of brackets',
      call(`"x":${'['.repeat(5 * MIB - 99)}${']'.repeat(5 * MIB - 99)}`, '"a"'),
      refused('a', /64 levels/),
    ],
  ])('%s costs neither the session nor the next line', async (_, line, expected) => {
    const server = startBin();
    await initialize(server);
    const answers = (await answersTo(server, line)).map((text) => JSON.parse(text));
    if (expected === undefined) expect(answers).toEqual([]);
    else if ('code' in expected)
      expect(answers).toMatchObject([
        { id: expected.id, error: { code: expected.code, message: expect.stringMatching(expected.says) } },
      ]);
    server.child.stdin.end();
    expect(await server.exit()).toEqual([0, null]);
    const told = server.stderr
      .join('')
      .split('\n')
      .filter((each) => each.includes('dropped'));
    expect(told).toEqual([
      expect.stringMatching(/^deckprobe-mcp: a line that is not a JSON-RPC message was dropped: /),
    ]);
  });

  it('that is well-formed reaches the tool', async () => {
    const server = startBin();
    await initialize(server);
    const rest = `"name":"probe","arguments":{"path":${DECK},"pad":"${'€'.repeat(3 * MIB)}"}`;
    server.child.stdin.write(`${call(rest)}\n`);
    const { result } = (await server.answer(7)) as { result: { structuredContent: object } };
    expect(result.structuredContent).toMatchObject({ error: { code: 'MCP_INVALID_ARGUMENT' } });
  });
});

it('a flood of bad lines, with nobody who reads what is said of them, does not flood memory', async () => {
  const server = startBin();
  await initialize(server);
  server.child.stderr.pause();
  const lines = `${'x'.repeat(60)}\n`.repeat(1000);
  for (let thousands = 0; thousands < 100; thousands += 1) server.child.stdin.write(lines);
  sendProbe(server, 1);
  expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
  expect(server.messages.filter(({ id }) => id === null)).toHaveLength(100_000);
  expect(residentMemory(server.child.pid)).toBeLessThan(300 * MIB);
});
