// The opening exchange as a picture: a question, the call that a model makes of it, what the server answers, and the
// reply. Self-contained SVG with the reader's own fonts, in the reader's colour scheme.

const WIDTH = 780;
const PADDING = 28;
const LINE = 22;
const ROW = 27;
/** The columns of the answer: where each begins, and how many characters have room in it in the widest usual font. */
const COLUMNS = [
  { heading: 'target', x: 48, room: 23 },
  { heading: 'value', x: 236, room: 21 },
  { heading: 'confidence', x: 410, room: 10 },
  { heading: 'source', x: 508, room: 32 },
];

const STYLE = `
    text { font: 14px -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328; }
    .code { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
    .small { font-size: 11.5px; }
    .strong { font-weight: 600; }
    .quiet { fill: #59636e; }
    .card { fill: #ffffff; stroke: #d1d9e0; }
    .bubble { fill: #ddf4ff; }
    .panel { fill: #f6f8fa; stroke: #d1d9e0; }
    .rule { stroke: #d1d9e0; }
    .mark { fill: none; stroke: #1a7f37; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .quiet { fill: #9198a1; }
      .card { fill: #0d1117; stroke: #3d444d; }
      .bubble { fill: #0c2d5c; }
      .panel { fill: #151b23; stroke: #3d444d; }
      .rule { stroke: #3d444d; }
      .mark { stroke: #3fb950; }
    }`;

/** What the picture says, in a sentence or two for those who cannot see it. */
export function describeExchange({ question, call, rows, reply }) {
  const found = rows.map(({ target, value }) => `${target} ${value}`).join(', ');
  return `A person asks: ${question.join(' ')} The client calls ${call.tool} on ${call.file}. DeckProbe answers ${found}, each with its confidence and source. The reply: ${reply.join(' ')}`;
}

/**
 * The picture as the text of an SVG file.
 * @param question the lines of what the person asks; `reply` those of what the person is told.
 * @param call the tool, the name of the file and the targets that are asked for.
 * @param rows target, value, confidence and source of each result, as text.
 */
export function drawExchange(exchange) {
  const { question, call, rows, reply } = exchange;
  const body = [];
  let y = PADDING;

  const bubble = { width: 420, height: question.length * LINE + 20 };
  const left = WIDTH - PADDING - bubble.width;
  body.push(rectangle('bubble', left, y, bubble.width, bubble.height, 14));
  body.push(...question.map((line, index) => text(left + 20, y + 26 + index * LINE, line)));
  y += bubble.height + 34;

  body.push(`<path class="mark" d="M${PADDING + 2} ${y - 5} l4.5 4.5 l8 -9"/>`);
  body.push(
    `<text class="code" x="${PADDING + 24}" y="${y}"><tspan class="strong">${escapeXml(call.tool)}</tspan><tspan class="quiet" dx="12">${escapeXml(call.file)}</tspan><tspan class="quiet" dx="12">${escapeXml(call.targets.join(', '))}</tspan></text>`,
  );
  y += 16;

  const height = (rows.length + 1) * ROW + 14;
  body.push(rectangle('panel', PADDING, y, WIDTH - 2 * PADDING, height, 8));
  const rule = y + ROW + 4;
  body.push(...COLUMNS.map(({ heading, x }) => text(x, y + 21, heading, 'small quiet')));
  body.push(`<path class="rule" d="M${PADDING} ${rule + 0.5} H${WIDTH - PADDING}"/>`);
  for (const [index, row] of rows.entries()) {
    const baseline = rule + 21 + index * ROW;
    for (const { heading, x, room } of COLUMNS) {
      const cell = row[heading];
      if (cell.length > room) throw new Error(`the picture has no room for the ${heading} ${JSON.stringify(cell)}`);
      body.push(text(x, baseline, cell, heading === 'value' ? 'code strong' : 'code quiet'));
    }
  }
  y += height + 34;

  body.push(...reply.map((line, index) => text(PADDING, y + index * LINE, line)));
  y += (reply.length - 1) * LINE + PADDING;

  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-labelledby="title description">
  <title id="title">A question about a document, and its answer</title>
  <desc id="description">${escapeXml(describeExchange(exchange))}</desc>
  <style>${STYLE}
  </style>
  <rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${y - 1}" rx="12"/>
  ${body.join('\n  ')}
</svg>
`;
}

function rectangle(style, x, y, width, height, radius) {
  // Half a pixel inwards, so that a border of one pixel is sharp.
  return `<rect class="${style}" x="${x + 0.5}" y="${y + 0.5}" width="${width - 1}" height="${height - 1}" rx="${radius}"/>`;
}

function text(x, y, words, style) {
  return `<text x="${x}" y="${y}"${style ? ` class="${style}"` : ''}>${escapeXml(words)}</text>`;
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Text as XML takes it; characters that XML 1.0 cannot hold become U+FFFD. */
function escapeXml(words) {
  const allowed = words.toWellFormed().replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
  return allowed.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}
