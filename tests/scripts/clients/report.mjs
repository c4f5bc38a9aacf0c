// The tables that a run prints, and writes into the page about clients.
import { readFileSync, writeFileSync } from 'node:fs';
import { COLUMNS, HEADINGS } from './judge.mjs';

/** Whether everything that should be good is. */
export function isGood({ run, cells, passed, failure }) {
  if (failure !== undefined) return false;
  return run.scenarios ? passed.length === run.scenarios.length : COLUMNS.every((column) => cells[column].good);
}

/** The rows as Markdown, with notes below; cells that are not as they should be are in bold. */
export function toMarkdown(rows) {
  const clients = rows.filter(({ cells }) => cells);
  const notes = [...new Set(clients.flatMap(({ cells }) => COLUMNS.flatMap((column) => cells[column].note ?? [])))];
  const lines = clients.map(({ client, run, cells }) => {
    const texts = COLUMNS.map((column) => {
      const { text, good, note } = cells[column];
      return bold(text, good) + (note ? ` (${notes.indexOf(note) + 1})` : '');
    });
    return [client.title + (run.title ? `, ${run.title}` : ''), versionOf(client), ...texts];
  });
  const scenarios = rows
    .filter(({ passed }) => passed)
    .flatMap(({ client, run, passed }) =>
      run.scenarios.map((name) => [
        `${client.title} ${versionOf(client)}`,
        `\`${name}\``,
        passed.includes(name) ? 'passed' : bold('failed', false),
      ]),
    );
  return [
    lines.length > 0 && table(['client', 'version', ...COLUMNS.map((column) => HEADINGS[column])], lines),
    notes.length > 0 && notes.map((note, index) => `${index + 1}. ${note}`).join('\n'),
    scenarios.length > 0 && table(['over a bridge', 'scenario', ''], scenarios),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Puts a text between the markers of a page. */
export function writeBetween(file, name, text) {
  const page = readFileSync(file, 'utf8');
  const marked = new RegExp(`(<!-- ${name}: .*-->\\n)[^]*?(<!-- /${name} -->)`);
  if (!marked.test(page)) throw new Error(`${file} lacks the markers of ${name}`);
  writeFileSync(
    file,
    page.replace(marked, (_all, begin, end) => `${begin}\n${text}\n\n${end}`),
  );
}

function versionOf({ install }) {
  return Object.values(install)[0];
}

function bold(text, good) {
  return good ? text : `**${text}**`;
}

function table(headings, lines) {
  const [heading, ...rows] = [headings, ...lines].map((cells) => `| ${cells.join(' | ')} |`);
  return [heading, `|${'---|'.repeat(headings.length)}`, ...rows].join('\n');
}
