// Writes docs/limits.md from the table of gaps. With --check it only tells whether that page is current. Either way it looks that
// docs/upstream.md has a report for every gap with each of its fixtures, and none for what is not in the table.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { GAPS } from '../../dist/gaps.js';

const pathOf = (name) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
const LIMITS = pathOf('limits.md');

const FAMILIES = [
  ['PDF', (formats) => formats.includes('pdf')],
  [
    'Word, Excel and PowerPoint',
    (formats) => formats.some((format) => /^(doc|xls|ppt).$|^(dot|xlt|pot|pps).$/.test(format)),
  ],
  ['Old formats: .doc, .xls, .ppt', (formats) => formats.some((format) => ['doc', 'xls', 'ppt'].includes(format))],
  ['Keynote, Numbers, Pages', (formats) => formats.includes('key')],
];
const KINDS = {
  wrong: 'wrong or misleading',
  missing: 'not seen',
  refused: 'refused though sound',
  reading: 'right, and easily misread',
};

const row = ({ kind, person, instead }) => `| ${person} | ${KINDS[kind]} | ${instead} |`;

function section([title, belongs]) {
  const gaps = GAPS.filter(({ formats }) => belongs(formats));
  return [
    `## ${title}`,
    ['| what is seen | | what to do instead |', '|---|---|---|', ...gaps.map(row)].join('\n'),
  ].join('\n\n');
}

const versions = [...new Set(GAPS.flatMap(({ engines }) => engines))].join(', ');

const page = `# Limits

<!-- Written by npm run docs from the table in src/gaps: do not edit. -->

The server passes on what the engine says, right or wrong. This page says what not to believe, and what to do instead. It was
seen with engine ${versions}; each line has a small document in \`tests/fixtures\` and a test that fails when a newer engine has
learnt better. Agents are told the same, in short, by the \`caveat\` of a target in \`list_targets\`.

In general: null, absent and unresolved mean unknown, never no, zero or safe. \`confidence\` is a fixed label of each way of
reading, not a probability: an answer marked \`exact\` can be wrong.

${FAMILIES.map(section).join('\n\n')}

## Reading an answer

- An empty string (of a PDF, say) means that the entry is recorded, but empty. What is not recorded is absent and in
  \`unresolved_targets\`.
- JavaScript and \`active_content_risk\` are looked for at \`level: "deep"\` only. At the default level \`@security\` leaves them
  out without notice.
- Page and word counts of Word documents are what the last program saved into the file; nothing is laid out.
- Counts of parts and of unique assets (\`*_part_count\`, \`unique_*_count\`) count what is in the package, not what is seen: a
  picture used ten times is one.
- \`MALFORMED_INPUT\` means "not readable here": a wrong extension, encryption, damage, or one of the refusals above.
- \`pdf.repaired\` true is the sign of a damaged PDF; false does not prove a sound one.

## What cannot be told at all

- who signed a document, and whether the signature holds: only that signature structures are there, and how many
- whether sheets, workbooks or documents are protected against changes, and what a PDF restricts (printing, copying)
- which sheets or slides are hidden: only how many, where that is to be believed
- the names of attachments, of embedded objects, and the addresses of links
- which fonts are used, the text itself, pictures, and how anything looks
- what was changed while changes were tracked, and what comments say
- whether a document is safe to open
`;

const problems = upstreamProblems(readFileSync(pathOf('upstream.md'), 'utf8'));
if (!process.argv.includes('--check')) writeFileSync(LIMITS, page);
else if (readFileSync(LIMITS, 'utf8') !== page)
  problems.push('docs/limits.md does not show the table of gaps as it is. Run: npm run docs');
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** Each section of the page is headed by the id of a gap; what is only easily misread is no matter for the engine's authors. */
function upstreamProblems(upstream) {
  const sections = new Map(
    upstream
      .split(/^## /m)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf('\n')).trim(), text]),
  );
  const gaps = GAPS.filter(({ kind }) => kind !== 'reading');
  const ids = new Set(gaps.map(({ id }) => id));
  return [
    ...[...sections.keys()].filter((id) => !ids.has(id)).map((id) => `docs/upstream.md reports ${id}, which is no gap`),
    ...gaps.flatMap(({ id, fixtures }) => {
      const text = sections.get(id);
      if (text === undefined) return [`docs/upstream.md has no report of ${id}`];
      return fixtures
        .filter((name) => !text.includes(`tests/fixtures/${name}`))
        .map((name) => `the report of ${id} in docs/upstream.md does not name tests/fixtures/${name}`);
    }),
  ];
}
