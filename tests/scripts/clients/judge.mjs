// Turns what a run has seen into the cells of its row: a text each, and whether it is as it should be.
import { RESULT } from './table.mjs';

const TOOLS = ['list_formats', 'list_targets', 'probe', 'probe_batch'];
/** The answer, once for each copy of it. */
const ANSWER = /powerpoint\.slide_count:3(?!\d)/g;
const CODE = 'MCP_PATH_NOT_FOUND';

/** The columns, in order. */
export const COLUMNS = ['connected', 'revision', 'tools', 'answer', 'error', 'hint', 'given'];

/** What each column says, as the heading of a table. */
export const HEADINGS = {
  connected: 'connected',
  revision: 'revision',
  tools: 'tools',
  answer: 'right answer',
  error: 'error with its code',
  hint: 'hint',
  given: 'answer given',
};

/** The cells of one run, by column. `seen` is what the driver saw, nothing where it failed. */
export function judge(run, seen, record) {
  const answer = flatten(seen?.answer);
  const error = flatten(seen?.error);
  const copies = answer.match(ANSWER)?.length ?? 0;
  const tools = [...(seen?.tools ?? [])].sort();
  return {
    connected: yesNo(record.connected),
    revision: revisionOf(record.revisions.join(', ') || 'none', run),
    tools: cell(String(tools.length), tools.join() === TOOLS.join()),
    answer: yesNo(copies > 0),
    error: yesNo(error.includes(CODE)),
    hint: yesNo(record.hint !== undefined && error.includes(flatten(record.hint))),
    given: run.hands === RESULT ? givenToProgram(seen?.answer) : givenToModel(copies, run.twice),
  };
}

/** Clients that wait for the newer revision only so long are good with the older one: machines may be busy. */
function revisionOf(text, { revision, impatient }) {
  if (impatient === undefined) return cell(text, text === revision);
  return { ...cell(text, text === revision || text === impatient.revision), note: impatient.note };
}

/** A program gets both copies, and can tell that they are one only where they are equal to the byte. */
function givenToProgram(answer) {
  const { content, structuredContent } = Object(answer);
  if (content === undefined || structuredContent === undefined) return cell('no', false);
  const equal = content.length === 1 && content[0].text === JSON.stringify(structuredContent);
  return cell(equal ? 'both, equal' : 'both, unequal', equal);
}

function givenToModel(copies, twice) {
  const text = ['no', 'once', 'twice'][copies] ?? `${copies} times`;
  return copies === 2 && twice !== undefined ? { ...cell(text, true), note: twice } : cell(text, copies === 1);
}

/** A value as one text without what distinguishes JSON, JSON within JSON, and a JavaScript literal. */
function flatten(value) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.replace(/[\\'"\s]/g, '');
}

const cell = (text, good) => ({ text, good });
const yesNo = (good) => cell(good ? 'yes' : 'no', good);
