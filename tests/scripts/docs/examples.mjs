// What the documents say of each tool besides its own texts: questions to try it with, and the errors it can give.
import { MCP_EXIT_CODES } from '../../../dist/errors.js';
import { FOLDER } from './session.mjs';

const DECK = `${FOLDER}/deck.pptx`;
const REPORT = `${FOLDER}/report.pdf`;
const MISSING = `${FOLDER}/missing.docx`;

const OF_ENGINE = ['MCP_TIMEOUT', 'MCP_ENGINE_FAILURE', 'MCP_ENGINE_NOT_FOUND'];
const OF_PATHS = ['MCP_PATH_NOT_FOUND', 'MCP_PATH_NOT_ALLOWED'];
const OF_DOCUMENTS = [
  'MALFORMED_INPUT',
  'UNSUPPORTED_FORMAT',
  'UNSUPPORTED_TARGET',
  'BUDGET_EXCEEDED',
  'INVALID_REQUEST',
  'SOURCE_IO',
  'PARSER_FAILURE',
];

/** For each tool: the README's example, those of the reference, and the error codes. */
export const TOOLS = {
  probe: {
    short: { question: 'How many slides has this deck?', arguments: { path: DECK, targets: ['slide_count'] } },
    long: [
      {
        question: 'What is its title, and how many slides has it?',
        arguments: { path: DECK, targets: ['title', 'slide_count'] },
      },
      {
        question: 'What is there to know of it, in short?',
        arguments: { path: DECK, targets: ['@all'], level: 'deep', view: 'values' },
      },
    ],
    errors: ['MCP_INVALID_ARGUMENT', ...OF_PATHS, 'MCP_OUTPUT_LIMIT', ...OF_ENGINE, ...OF_DOCUMENTS],
  },
  probe_batch: {
    short: {
      question: 'Which of these two are encrypted? (One is not there.)',
      arguments: { paths: [REPORT, MISSING], targets: ['encrypted'] },
    },
    long: [
      {
        question: 'Are these two safe to open? (One of them is not there.)',
        arguments: { paths: [REPORT, MISSING], targets: ['@security'], level: 'deep' },
      },
    ],
    errors: [
      'MCP_INVALID_ARGUMENT',
      'MCP_BATCH_TOO_LARGE',
      ...OF_PATHS,
      'MCP_OUTPUT_LIMIT',
      ...OF_ENGINE,
      ...OF_DOCUMENTS,
    ],
    note: 'Except for the first two, and for a batch of which nothing could run, an error stands in the entry of its file.',
  },
  list_formats: {
    short: { question: 'Which formats can be read?', arguments: {} },
    long: [{ question: 'Which formats can be read?', arguments: {} }],
    errors: ['MCP_INVALID_ARGUMENT', ...OF_ENGINE],
  },
  list_targets: {
    short: {
      question: 'What can be asked of an .mp3 file? (Nothing: this is an error, as every tool gives it.)',
      arguments: { format: 'mp3' },
      fails: true,
    },
    sample: {
      arguments: { format: 'ppt' },
      list: 'targets',
      id: 'powerpoint.slide_count',
      text: (count) => `A format that it knows has many targets, \`ppt\` ${count} of them. One looks like this:`,
    },
    // The shortest list that the engine has.
    long: [{ question: 'What can be asked of a .ppt file?', arguments: { format: 'ppt' } }],
    errors: ['MCP_INVALID_ARGUMENT', ...OF_ENGINE, 'UNSUPPORTED_FORMAT'],
  },
};

/** A call whose whole result shows how a failure looks. */
export const FAILURE = { name: 'probe', arguments: { path: MISSING } };

/** What the codes mean. */
const ERRORS = {
  server: {
    MCP_INVALID_ARGUMENT:
      'the arguments do not fit the tool; the message names the field, what arrived and what is valid',
    MCP_BATCH_TOO_LARGE: 'more paths than `DECKPROBE_MCP_MAX_BATCH`',
    MCP_PATH_NOT_FOUND: 'nothing is there',
    MCP_PATH_NOT_ALLOWED:
      'outside the folders of `DECKPROBE_MCP_ROOTS`, whether or not it exists; on Windows also a device, with or without roots',
    MCP_TIMEOUT: 'the call took longer than `DECKPROBE_MCP_TIMEOUT_MS`',
    MCP_OUTPUT_LIMIT: 'the answer, or an entry of a batch, does not fit into 1,000,000 bytes',
    MCP_ENGINE_FAILURE: 'the engine crashed, could not be started, or printed something else than a report',
    MCP_ENGINE_NOT_FOUND: 'this machine has no engine, or the one that `DECKPROBE_MCP_BIN` names cannot be used',
  },
  engine: {
    INVALID_REQUEST: [1, 'the path is no regular file, or the options contradict each other'],
    UNSUPPORTED_TARGET: [1, 'the format lacks a target that was named, or the level is too low for it'],
    SOURCE_IO: [2, 'the file cannot be opened or read'],
    UNSUPPORTED_FORMAT: [3, 'the extension is none that the engine knows'],
    MALFORMED_INPUT: [4, 'the content cannot be read as what the extension names'],
    BUDGET_EXCEEDED: [4, 'the document takes more than the budget of the level'],
    PARSER_FAILURE: [6, 'the engine failed while it read the document'],
  },
};

/** Every code with its exit code and meaning. Fails where one of the server's or of a tool's is missing. */
export function errorRows() {
  const rows = [
    ...Object.entries(MCP_EXIT_CODES).map(([code, exit]) => [code, exit, ERRORS.server[code]]),
    ...Object.entries(ERRORS.engine).map(([code, [exit, meaning]]) => [code, exit, meaning]),
  ];
  const named = new Set(Object.values(TOOLS).flatMap(({ errors }) => errors));
  for (const [code, , meaning] of rows)
    if (meaning === undefined || !named.delete(code)) throw new Error(`${code} is not documented`);
  if (named.size > 0) throw new Error(`${[...named]} is not explained`);
  return rows;
}
