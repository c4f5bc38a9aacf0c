// The first thing that a reader of the README sees: a question, the call that a model makes of it, what the server
// answers, and what the person is told. Everything but the question comes from the answer.
import { describeExchange, drawExchange } from './picture.mjs';
import { FOLDER } from './session.mjs';

const FILE = 'deck.pptx';
const QUESTION = [`How many slides has ${FILE}, and who made it?`, 'When was it last saved, and has it macros?'];
const TARGETS = ['slide_count', 'author', 'modified_at', 'has_macros'];
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** The picture of the opening exchange, and the README's line that shows it. */
export async function openingExchange(ask, picture) {
  const { structuredContent: report } = await ask({
    name: 'probe',
    arguments: { path: `${FOLDER}/${FILE}`, targets: TARGETS },
  });
  const results = TARGETS.map((target) => {
    const found = Object.values(report.results).find((result) => result.target.endsWith(`.${target}`));
    if (found?.status !== 'resolved') throw new Error(`the opening exchange has no value of ${target}`);
    return found;
  });
  const exchange = {
    question: QUESTION,
    call: { tool: 'probe', file: FILE, targets: TARGETS },
    rows: results.map(({ target, value, confidence, source }) => ({
      target,
      value: String(value),
      confidence,
      source,
    })),
    reply: reply(results.map(({ value }) => value)),
  };
  const alternative = describeExchange(exchange).replace(/[[\]\\]/g, '\\$&');
  return { svg: drawExchange(exchange), markdown: `![${alternative}](${picture})` };
}

function reply([slides, author, saved, macros]) {
  const time = new Date(saved);
  const clock = time.toISOString().slice(11, 16);
  return [
    `It has ${slides} slides, and its author is ${author}.`,
    `It was last saved on ${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${time.getUTCFullYear()} at ${clock} UTC, and it has ${macros ? '' : 'no '}macros.`,
  ];
}
