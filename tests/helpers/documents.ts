import { readFileSync } from 'node:fs';
import path from 'node:path';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { fixture, temporaryFolder, writeFile } from './files.js';

/** The Word fixture with a comment of some bytes in its properties. */
export function paddedDocx(bytes: number): string {
  return docx((properties) => properties.replace('?>', `?><!--${' '.repeat(bytes)}-->`));
}

/** The Word fixture with another title, given as XML. */
export function titledDocx(title: string): string {
  // By a function: in a replacement text, $ would have a meaning of its own.
  return docx((properties) => properties.replace('Fixture letter', () => title));
}

function docx(edit: (properties: string) => string): string {
  const parts = unzipSync(readFileSync(fixture('letter.docx')));
  const properties = Buffer.from(parts['docProps/core.xml'] ?? []).toString('utf8');
  const edited = edit(properties);
  if (edited === properties) throw new Error('the properties of letter.docx no longer have what is edited here');
  parts['docProps/core.xml'] = strToU8(edited);
  return writeFile(path.join(temporaryFolder(), 'letter.docx'), zipSync(parts));
}
