// The icon of the bundle, drawn by arithmetic: a sheet of paper under a magnifying glass. PNG, 512 pixels square.
import { crc32, deflateSync } from 'node:zlib';

const SIZE = 512;
/** Samples a side for each pixel, so that edges are smooth. */
const SAMPLES = 3;

const BLUE = [31, 78, 121];
const WHITE = [255, 255, 255];
const GREY = [168, 184, 200];
const ORANGE = [240, 140, 40];
const GLASS = [214, 232, 246];

/** Distances in pixels from a shape's edge, negative inside. */
const roundedBox = (x, y, [left, top, right, bottom], radius) => {
  const dx = Math.abs(x - (left + right) / 2) - (right - left) / 2 + radius;
  const dy = Math.abs(y - (top + bottom) / 2) - (bottom - top) / 2 + radius;
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
};
const circle = (x, y, [cx, cy], radius) => Math.hypot(x - cx, y - cy) - radius;
const stroke = (x, y, [x1, y1], [x2, y2], width) => {
  const along = Math.min(
    1,
    Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)),
  );
  return Math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1)) - width / 2;
};

const LENS = [322, 318];
/** From the bottom layer to the top one. */
const LAYERS = [
  [BLUE, (x, y) => roundedBox(x, y, [16, 16, 496, 496], 96)],
  [WHITE, (x, y) => roundedBox(x, y, [112, 84, 352, 420], 20)],
  ...[140, 192, 244, 296, 348].map((top, index) => [
    GREY,
    (x, y) => roundedBox(x, y, [148, top, index % 2 === 0 ? 316 : 276, top + 22], 11),
  ]),
  [ORANGE, (x, y) => stroke(x, y, [372, 368], [428, 424], 40)],
  [ORANGE, (x, y) => circle(x, y, LENS, 92)],
  [GLASS, (x, y) => circle(x, y, LENS, 66)],
  [BLUE, (x, y) => stroke(x, y, [292, 318], [314, 342], 18)],
  [BLUE, (x, y) => stroke(x, y, [314, 342], [354, 294], 18)],
];

/** The colour at a point with its opacity, 0 to 255. */
function colourAt(x, y) {
  const top = LAYERS.findLast(([, distance]) => distance(x, y) <= 0);
  return top === undefined ? [0, 0, 0, 0] : [...top[0], 255];
}

function pixel(column, row) {
  const sum = [0, 0, 0, 0];
  for (let sample = 0; sample < SAMPLES ** 2; sample += 1) {
    const x = column + ((sample % SAMPLES) + 0.5) / SAMPLES;
    const y = row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES;
    const [red, green, blue, alpha] = colourAt(x, y);
    for (const [index, value] of [red, green, blue].entries()) sum[index] += (value * alpha) / 255;
    sum[3] += alpha / 255;
  }
  const [red, green, blue, covered] = sum;
  const part = (value) => Math.round(value / Math.max(covered, 1));
  return covered === 0
    ? [0, 0, 0, 0]
    : [part(red), part(green), part(blue), Math.round((255 * covered) / SAMPLES ** 2)];
}

/** One chunk of a PNG file (https://www.w3.org/TR/png-3/#5Chunk-layout). */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** The icon's file, byte for byte the same on every run. */
export function icon() {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  // Eight bits a channel, colour with opacity.
  header.set([8, 6, 0, 0, 0], 8);
  const rows = Array.from({ length: SIZE }, (_, row) =>
    Buffer.from([0, ...Array.from({ length: SIZE }, (_, column) => pixel(column, row)).flat()]),
  );
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
