// The tools as text: briefly for the README, in full for docs/tools.md. Made from what the server registers and answers.
import { errorRows, FAILURE, TOOLS } from './examples.mjs';
import { printInline, printJson, printMembers } from './json.mjs';

/** Lines that an answer may have in the README. */
const MOST_LINES = 15;

/** The README's part: of each tool a paragraph, its fields and a question with a small answer. */
export async function shortReference({ tools, ask }) {
  const sections = tools.map(async (tool) => {
    const example = await answered(ask, tool.name, TOOLS[tool.name].short);
    const lines = example.answer.split('\n').length;
    if (lines > MOST_LINES) throw new Error(`the answer of the README's example of ${tool.name} has ${lines} lines`);
    return [
      `### \`${tool.name}\`: ${tool.title}`,
      tool.description,
      fieldTable(tool.inputSchema, false),
      `${example.question} Called with \`${example.given}\`, it answers`,
      fenced(example.answer),
      ...(await sampleOf(ask, tool.name)),
    ];
  });
  return paragraphs(await Promise.all(sections));
}

/** The whole of docs/tools.md. */
export async function fullReference({ tools, ask }) {
  const sections = tools.map(async (tool) => {
    const { long, errors, note } = TOOLS[tool.name];
    const examples = await Promise.all(long.map((example) => answered(ask, tool.name, example)));
    return [
      `## \`${tool.name}\`: ${tool.title}`,
      tool.description,
      fieldTable(tool.inputSchema, true),
      ...examples.map(show),
      `Errors: ${errors.map((code) => `\`${code}\``).join(', ')}.${note ? ` ${note}` : ''}`,
    ];
  });
  const text = paragraphs([INTRODUCTION, ...(await Promise.all(sections)), await errorSection(ask)]);
  return `${text}\n`;
}

const INTRODUCTION = [
  '<!-- Written by npm run docs, do not edit. -->',
  '# Tools',
  `Four tools, all read-only. Titles, descriptions and fields below are what a client is told. The answers are what the server
gave for documents of this repository's tests, printed whole. An answer comes as structured content, which is shown here, and
as the same JSON in a text block.`,
  `The JSON of \`probe\`, \`list_formats\` and \`list_targets\` with \`detail: "full"\` is the engine's. The schema of its
reports is the resource \`deckprobe://schema\`. [stability.md](stability.md) says what of all this is contract.`,
];

async function errorSection(ask) {
  const failure = await ask(FAILURE);
  return [
    '## Errors',
    `A failure is a tool result with \`isError: true\`. Its structured content is an envelope in the engine's shape; its text block
is the envelope's JSON and, on a line of its own, a hint at the next step. A call for a file that is not there`,
    fenced(printJson(FAILURE)),
    'has this result, whole:',
    fenced(
      printMembers({
        isError: failure.isError,
        content: failure.content,
        structuredContent: failure.structuredContent,
      }),
    ),
    'The codes, first those of the server, then those of the engine. A code that is not listed is to be taken by its exit code.',
    table(
      ['code', 'exit code', ''],
      errorRows().map(([code, exit, meaning]) => [`\`${code}\``, exit, meaning]),
    ),
  ];
}

const paragraphs = (sections) => sections.flat().join('\n\n');
const fenced = (json) => `\`\`\`json\n${json}\n\`\`\``;

const table = (headings, rows) =>
  [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** An example with its call and its answer as they are printed. */
async function answered(ask, name, { question, arguments: given, fails = false }) {
  const call = { name, arguments: given };
  const { structuredContent, isError = false } = await ask(call);
  const answer = printMembers(structuredContent);
  if (isError !== fails) throw new Error(`the example of ${name} answers\n${answer}`);
  return { question, given: printInline(given), call: printJson(call), answer };
}

/** One entry of an answer that is too long for the README. */
async function sampleOf(ask, name) {
  const { sample } = TOOLS[name];
  if (sample === undefined) return [];
  const { structuredContent } = await ask({ name, arguments: sample.arguments });
  const entries = structuredContent[sample.list];
  const entry = entries.find(({ id }) => id === sample.id);
  if (entry === undefined) throw new Error(`the README's sample of ${name} has no ${sample.id}`);
  return [sample.text(entries.length), fenced(printJson(entry))];
}

const show = ({ question, call, answer }) => `${question}\n\n${fenced(call)}\n\n${fenced(answer)}`;

/** The fields of a tool; those of an object inside only where they are not the same as another tool's, or in full. */
function fieldTable(schema, full) {
  const rows = fieldRows(schema, full);
  return rows.length === 0 ? 'It takes no arguments.' : table(['field', 'type', ''], rows);
}

function fieldRows({ properties = {}, required = [] }, full, prefix = '') {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const type = `${typeOf(schema)}${required.includes(name) ? ', required' : ''}`;
    const row = [`\`${prefix}${name}\``, type, schema.description.replaceAll('|', '\\|')];
    const inside = full || !schema.description.startsWith('As in ');
    return [row, ...(inside ? fieldRows(schema, full, `${prefix}${name}.`) : [])];
  });
}

function typeOf(schema) {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.type === 'integer') return `${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'array')
    return `array of ${typeOf(schema.items)}s${schema.maxItems ? `, ${schema.minItems ?? 0} to ${schema.maxItems}` : ''}`;
  if (typeof schema.additionalProperties === 'object') return `object: name to ${typeOf(schema.additionalProperties)}`;
  return schema.type;
}
