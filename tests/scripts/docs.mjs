// Writes what the documents say of the tools: the opening exchange and the short reference into README.md, each between
// its markers, docs/exchange.svg and docs/tools.md. All of it comes from the built server. With --check it only tells
// whether the files are current.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openingExchange } from './docs/exchange.mjs';
import { fullReference, shortReference } from './docs/reference.mjs';
import { withServer } from './docs/session.mjs';

const PICTURE = 'docs/exchange.svg';

const files = await withServer(async ({ tools, ask }) => {
  const exchange = await openingExchange(ask, PICTURE);
  const parts = { exchange: exchange.markdown, tools: await shortReference({ tools, ask }) };
  return {
    'README.md': fillIn(read('README.md') ?? '', parts),
    [PICTURE]: exchange.svg,
    'docs/tools.md': await fullReference({ tools, ask }),
  };
});

for (const [file, text] of Object.entries(files)) {
  if (!process.argv.includes('--check')) writeFileSync(locate(file), text);
  else if (read(file) !== text) {
    console.error(`${file} does not show the tools as they are. Run: npm run docs`);
    process.exitCode = 1;
  }
}

/** A text with each part between its markers. */
function fillIn(text, parts) {
  return Object.entries(parts).reduce((filled, [name, part]) => {
    const marked = new RegExp(`(<!-- ${name}: .*-->\\n)[^]*?(<!-- /${name} -->)`);
    if (!marked.test(filled)) throw new Error(`README.md lacks the markers of ${name}`);
    return filled.replace(marked, (_all, begin, end) => `${begin}\n${part}\n\n${end}`);
  }, text);
}

function locate(file) {
  return fileURLToPath(new URL(`../../${file}`, import.meta.url));
}

/** The text of a file, undefined where it is missing. */
function read(file) {
  try {
    return readFileSync(locate(file), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
