// JSON as the documents print it: short enough to be read at a glance, and nothing left out.
import assert from 'node:assert/strict';

/** Columns that a line of JSON may take. */
const WIDTH = 112;

/** JSON on one line, however long. */
export const printInline = (value) => checked(inline(value), value);

/** JSON on one line where it fits, else on as few as possible. */
export const printJson = (value) => checked(print(value, 0, 0), value);

/**
 * An object with its brackets and each object or list of it on lines of their own. Further inside, what fits stays on one
 * line; lists and maps of objects have an entry a line; and a record that is too long flows over several lines.
 */
export const printMembers = (value) => checked(block(value, 0), value);

function checked(text, value) {
  assert.deepEqual(JSON.parse(text), value, 'the printed JSON is not the value');
  return text;
}

/** A value without parts. */
const isLeaf = (value) => typeof value !== 'object' || value === null || Object.keys(value).length === 0;

/** A list or map that holds objects only: they stand side by side, an entry a line. */
const isCollection = (value) => Object.values(value).every((item) => !isLeaf(item));

/** The entries of a list or object, each with what stands before its value. */
function entriesOf(value) {
  if (Array.isArray(value)) return value.map((item) => ['', item]);
  return Object.entries(value).map(([key, item]) => [`${JSON.stringify(key)}: `, item]);
}

const bracketsOf = (value) => (Array.isArray(value) ? ['[', ']'] : ['{', '}']);

function inline(value) {
  if (isLeaf(value)) return JSON.stringify(value);
  const items = entriesOf(value).map(([name, item]) => name + inline(item));
  return Array.isArray(value) ? `[${items.join(', ')}]` : `{ ${items.join(', ')} }`;
}

/** A value that begins at `column` of a line indented by `indent`. One column is kept free, for the comma behind it. */
function print(value, indent, column) {
  if (isLeaf(value) || column + inline(value).length < WIDTH) return inline(value);
  return isCollection(value) ? block(value, indent) : record(value, indent, column);
}

/** Brackets on lines of their own; between them an entry a line, but for leaves, which share one. */
function block(value, indent) {
  const [open, close] = bracketsOf(value);
  const inner = indent + 2;
  return `${open}\n${' '.repeat(inner)}${fill(value, inner, inner, isLeaf)}\n${' '.repeat(indent)}${close}`;
}

/** The first entry behind the bracket, and as many on each line as fit. */
function record(value, indent, column) {
  const [open, close] = bracketsOf(value);
  return `${open} ${fill(value, indent + 2, column + 2, () => true)} ${close}`;
}

/** The entries of a value, the first at `column`, new lines indented by `indent`. Those that `mayShare` a line do where they fit. */
function fill(value, indent, column, mayShare) {
  let text = '';
  let at = column;
  let shareable = false;
  for (const [name, item] of entriesOf(value)) {
    const width = name.length + inline(item).length;
    const shares = shareable && mayShare(item) && at + 2 + width < WIDTH;
    shareable = mayShare(item);
    if (text !== '') {
      text += shares ? ', ' : `,\n${' '.repeat(indent)}`;
      at = shares ? at + 2 : indent;
    }
    const printed = name + print(item, indent, at + name.length);
    text += printed;
    at = printed.includes('\n') ? printed.length - printed.lastIndexOf('\n') - 1 : at + printed.length;
  }
  return text;
}
