// Writes the first exchange and the tool reference into README.md, each between its markers, from the tools as the built server registers them
// and with the answers that it really gives for fixtures. With --check it only tells whether the README is current.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { loadConfig } from '../../dist/config.js';
import { createEngine } from '../../dist/engine.js';
import { MCP_EXIT_CODES } from '../../dist/errors.js';
import { buildServer } from '../../dist/server.js';

const README = fileURLToPath(new URL('../../README.md', import.meta.url));
/** Stands for the folder of the examples' documents, which is a temporary one here. */
const FOLDER = '/home/ada/documents';

const OF_ENGINE = ['MCP_TIMEOUT', 'MCP_ENGINE_FAILURE', 'MCP_ENGINE_NOT_FOUND'];
const OF_DOCUMENTS = [
  'MALFORMED_INPUT',
  'UNSUPPORTED_FORMAT',
  'UNSUPPORTED_TARGET',
  'BUDGET_EXCEEDED',
  'INVALID_REQUEST',
  'SOURCE_IO',
  'PARSER_FAILURE',
];
const OF_PATHS = ['MCP_PATH_NOT_FOUND', 'MCP_PATH_NOT_ALLOWED'];

/** What can go wrong with each tool, and a call that shows what goes right. */
const TOOLS = {
  probe: {
    errors: ['MCP_INVALID_ARGUMENT', ...OF_PATHS, 'MCP_OUTPUT_LIMIT', ...OF_ENGINE, ...OF_DOCUMENTS],
    example: { path: `${FOLDER}/deck.pptx`, targets: ['title', 'slide_count'] },
  },
  probe_batch: {
    errors: [
      'MCP_INVALID_ARGUMENT',
      'MCP_BATCH_TOO_LARGE',
      ...OF_PATHS,
      'MCP_OUTPUT_LIMIT',
      ...OF_ENGINE,
      ...OF_DOCUMENTS,
    ],
    note: 'Except for the first two, and for a batch of which nothing could run, an error stands in the entry of its file.',
    example: { paths: [`${FOLDER}/report.pdf`, `${FOLDER}/missing.docx`], targets: ['@security'], level: 'deep' },
  },
  list_formats: { errors: ['MCP_INVALID_ARGUMENT', ...OF_ENGINE], example: {} },
  list_targets: {
    errors: ['MCP_INVALID_ARGUMENT', ...OF_ENGINE, 'UNSUPPORTED_FORMAT'],
    example: { format: 'pdf' },
    most: 1200,
  },
};

const folder = mkdtempSync(path.join(tmpdir(), 'deckprobe-docs-'));
const engine = createEngine(loadConfig({}), { log: () => {} });
const client = new Client({ name: 'docs', version: '1.0.0' });
try {
  for (const name of ['deck.pptx', 'report.pdf'])
    copyFileSync(fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)), path.join(folder, name));
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await Promise.all([buildServer({ engine, config: loadConfig({}) }).connect(serverSide), client.connect(clientSide)]);
  // So that the engine's version stands in envelopes of the server's own.
  await client.callTool({ name: 'list_formats' });
  update({ exchange: await exchange(), tools: await reference() });
} finally {
  await client.close();
  await engine.close();
  rmSync(folder, { recursive: true });
}

async function reference() {
  const { tools } = await client.listTools();
  const named = new Set(Object.values(TOOLS).flatMap(({ errors }) => errors));
  for (const code of Object.keys(MCP_EXIT_CODES)) if (!named.has(code)) throw new Error(`${code} is not documented`);
  const sections = await Promise.all(tools.map(section));
  return sections.join('\n\n');
}

/** The first thing that a reader sees: a question, the call that a model makes of it, and what it is told. */
async function exchange() {
  const call = {
    name: 'probe',
    arguments: {
      path: `${FOLDER}/deck.pptx`,
      targets: ['slide_count', 'author', 'modified_at', 'has_macros'],
      view: 'values',
    },
  };
  const { content } = await ask(call);
  return [
    '"How many slides has deck.pptx, who made it, when was it last saved, and has it macros?" becomes the call',
    `\`\`\`json\n${JSON.stringify(call, null, 2)}\n\`\`\``,
    "and the server answers, for the deck of this repository's tests,",
    `\`\`\`json\n${content}\n\`\`\``,
  ].join('\n\n');
}

/** What the server says to a call, with the examples' folder in the place of the temporary one. */
async function ask(call) {
  const result = await client.callTool(JSON.parse(JSON.stringify(call).replaceAll(FOLDER, folder)));
  const content = result.content[0].text.replaceAll(folder, FOLDER);
  if (result.isError) throw new Error(`the example of ${call.name} fails: ${content}`);
  return { content };
}

async function section({ name, title, description, inputSchema }) {
  const { errors, note, example, most = Number.POSITIVE_INFINITY } = TOOLS[name];
  const call = { name, arguments: example };
  const { content: answer } = await ask(call);
  const shown = answer.length > most ? `${answer.slice(0, most)}…` : answer;
  const cut = answer.length > most ? ` (the first ${most} of ${answer.length} characters)` : '';
  return [
    `### \`${name}\`: ${title}`,
    description,
    fieldTable(inputSchema),
    `Call:\n\n\`\`\`json\n${JSON.stringify(call, null, 2)}\n\`\`\``,
    `Answer${cut}:\n\n\`\`\`${cut ? 'text' : 'json'}\n${shown}\n\`\`\``,
    `Errors: ${errors.map((code) => `\`${code}\``).join(', ')}.${note ? ` ${note}` : ''}`,
  ].join('\n\n');
}

function fieldTable(schema) {
  const rows = fieldRows(schema);
  if (rows.length === 0) return 'It takes no arguments.';
  return ['| field | type | |', '|---|---|---|', ...rows].join('\n');
}

function fieldRows({ properties = {}, required = [] }, prefix = '') {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const needed = required.includes(name) ? ', required' : '';
    const text = schema.description.replaceAll('|', '\\|');
    const row = `| \`${prefix}${name}\` | ${typeOf(schema)}${needed} | ${text} |`;
    return [row, ...fieldRows(schema, `${prefix}${name}.`)];
  });
}

function typeOf(schema) {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.type === 'integer') return `${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'array') {
    const { minItems = 0, maxItems } = schema;
    const count = minItems === 0 ? `at most ${maxItems}` : `${minItems} to ${maxItems}`;
    return `array of ${typeOf(schema.items)}s${maxItems === undefined ? '' : `, ${count}`}`;
  }
  if (typeof schema.additionalProperties === 'object') return `object: name to ${typeOf(schema.additionalProperties)}`;
  return schema.type;
}

function update(parts) {
  const readme = readFileSync(README, 'utf8');
  let current = readme;
  for (const [name, text] of Object.entries(parts)) {
    const marked = new RegExp(`(<!-- ${name}: .*-->\\n)[^]*?(<!-- /${name} -->)`);
    if (!marked.test(current)) throw new Error(`README.md lacks the markers of ${name}`);
    current = current.replace(marked, (_all, begin, end) => `${begin}\n${text}\n\n${end}`);
  }
  if (!process.argv.includes('--check')) writeFileSync(README, current);
  else if (current !== readme) {
    console.error('README.md does not show the tools as they are. Run: npm run docs');
    process.exitCode = 1;
  }
}
