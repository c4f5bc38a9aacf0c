// Lines that are no ordinary request: junk, JSON that asks for nothing, and lines of many megabytes.

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const MIB = 1024 * 1024;

/** What is sent for a shape, from an id of its own, and the error codes that are due for it without an id. */
const NOT_JSON = {
  words: () => 'this is no JSON',
  brace: () => '{',
  comma: (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping",}`,
  bytes: () => Buffer.from([0xff, 0xfe, 0x80, 0x22]),
  nul: () => '\0\0\0',
  'two-values': (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"} {}`,
  header: () => 'Content-Length: 52',
};
const NO_REQUEST = {
  number: () => '42',
  string: () => '"ping"',
  null: () => 'null',
  true: () => 'true',
  'empty-object': () => '{}',
  'empty-array': () => '[]',
  array: (id) => `[{"jsonrpc":"2.0","id":${id},"method":"ping"}]`,
  'object-id': () => '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  'null-id': () => '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  'true-id': () => '{"jsonrpc":"2.0","id":true,"method":"ping"}',
};
/** JSON that is no request, but has an id that can be used. */
const REFUSED = {
  'number-method': (id) => `{"jsonrpc":"2.0","id":${id},"method":5}`,
  'no-method': (id) => `{"jsonrpc":"2.0","id":${id}}`,
  'old-version': (id) => `{"jsonrpc":"1.0","id":${id},"method":"ping"}`,
  'text-params': (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping","params":"x"}`,
  'array-params': (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping","params":[1]}`,
};
/** Lines that ask for nothing; an error is tolerated. */
const SILENT = {
  blank: () => '',
  spaces: () => '   ',
  'no-version': () => '{"method":"ping"}',
  response: (id) => `{"jsonrpc":"2.0","id":${id},"result":{}}`,
  'unknown-notification': () => '{"jsonrpc":"2.0","method":"notifications/unheard-of"}',
};
/** Requests in an odd dress. */
const ODD_REQUESTS = {
  'carriage-return': (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\r`,
  padded: (id) => `  {"jsonrpc" : "2.0", "id" : ${id}, "method" : "ping"}  `,
  'byte-order-mark': (id) => `\ufeff{"jsonrpc":"2.0","id":${id},"method":"ping"}`,
  'text-id': (id) => `{"jsonrpc":"2.0","id":"line ${id}","method":"ping"}`,
};
/** Lines of `mib` mebibytes: within the limit of a line, but dear to whoever reads them carelessly. */
const HUGE = {
  zeros: (length) => call({ path: 'x.pdf', targets: '@' }, '"@"', `[${'0,'.repeat(length / 2)}0]`),
  nested: (length) => call({ path: 'x.pdf', targets: '@' }, '"@"', '['.repeat(length / 2) + ']'.repeat(length / 2)),
  objects: (length) => call({ path: '@' }, '"@"', `[${'{},'.repeat(length / 3)}{}]`),
  keys: (length) => {
    const pairs = Array.from({ length: length / 16 }, (_, at) => `"k${at}":"high"`);
    return call({ path: 'x.pdf', target_confidence: '@' }, '"@"', `{${pairs.join(',')}}`);
  },
  text: (length) => call({ path: '@' }, '"@"', JSON.stringify('x'.repeat(length))),
  escapes: (length) => call({ path: '@' }, '"@"', `"${'\\u0041'.repeat(length / 6)}"`),
  'unknown-key': (length) => call({ path: 'x.pdf', more: '@' }, '"@"', JSON.stringify('y'.repeat(length))),
};

/** Scenarios of `--without`, with their shapes. */
export const SHAPES = {
  junk: [NOT_JSON, NO_REQUEST, REFUSED, SILENT, ODD_REQUESTS].flatMap(Object.keys),
  'huge-arguments': Object.keys(HUGE),
  'huge-lines': ['over-limit', 'over-limit-junk', 'over-limit-by-far'],
};

/**
 * A line by its shape.
 * @param id a number for the request that it is, if it is one. @param mib its size, for huge ones.
 * @returns `bytes` to send, with what is due for them: `request` for an answer under an id, or `codes` of an error
 *   without one, and whether that is `required`.
 */
export function buildLine({ shape, id, mib }, params) {
  const limit = { mayBeUnaddressed: [INVALID_REQUEST], refused: true };
  if (NOT_JSON[shape]) return { ...unaddressed(PARSE_ERROR), bytes: NOT_JSON[shape](id) };
  if (NO_REQUEST[shape]) return { ...unaddressed(INVALID_REQUEST), bytes: NO_REQUEST[shape](id) };
  if (SILENT[shape]) return { codes: [PARSE_ERROR, INVALID_REQUEST], required: false, bytes: SILENT[shape](id) };
  if (REFUSED[shape]) return { request: { id, refused: true }, bytes: REFUSED[shape](id) };
  if (ODD_REQUESTS[shape]) {
    const own = shape === 'text-id' ? `line ${id}` : id;
    const codes = shape === 'byte-order-mark' ? [PARSE_ERROR] : undefined;
    return { request: { id: own, mayBeUnaddressed: codes }, bytes: ODD_REQUESTS[shape](id) };
  }
  if (shape === 'over-limit-junk') return { ...unaddressed(INVALID_REQUEST), bytes: 'x'.repeat(11 * MIB) };
  if (shape === 'over-limit' || shape === 'over-limit-by-far') {
    const text = HUGE.text((shape === 'over-limit' ? 10.1 : 40) * MIB);
    return { request: { id, ...limit }, bytes: asRequest(id, text, params) };
  }
  const args = HUGE[shape](Math.floor(mib * MIB));
  return { request: { id, huge: true, mayBeUnaddressed: [INVALID_REQUEST] }, bytes: asRequest(id, args, params) };
}

function unaddressed(code) {
  return { codes: [code], required: true };
}

/** Arguments as JSON with a large value put into their place. */
function call(args, place, value) {
  return JSON.stringify(args).replace(place, () => value);
}

function asRequest(id, args, params) {
  const shell = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'probe', ...params } });
  return `${shell.slice(0, -2)},"arguments":${args}}}`;
}
