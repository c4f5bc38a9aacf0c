import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { askEngine } from './helpers/engines.js';
import { fixture, PROJECT, temporaryFolder } from './helpers/files.js';

/** What the engine says of each fixture: values with @all at deep, or an error code. Its gaps are in texts.test.ts. */
const EXPECTED: Record<string, Record<string, unknown> | string> = {
  'report.pdf': { 'pdf.page_count': 2, 'pdf.repaired': false, 'document.author': 'Fixture Author' },
  'repaired.pdf': { 'pdf.page_count': 2, 'pdf.repaired': true },
  'corrupt.pdf': 'MALFORMED_INPUT',
  'letter.docx': {
    'document.format_profile': 'docx',
    'document.title': 'Fixture letter',
    'security.has_macros': false,
  },
  'workbook.xlsx': { 'excel.sheet_names': ['Figures', 'Notes'], 'excel.hidden_sheet_count': 1 },
  'deck.pptx': { 'powerpoint.slide_count': 3, 'document.title': 'Fixture deck' },
  'renamed.docx': 'MALFORMED_INPUT',
  'macros.docm': 'MALFORMED_INPUT',
  'macros.xlsm': 'MALFORMED_INPUT',
  'macros.pptm': 'MALFORMED_INPUT',
  'binary.xlsb': 'MALFORMED_INPUT',
  'encrypted.xlsx': { 'document.format_profile': 'encrypted-ooxml', 'security.encrypted': true },
  'encrypted.doc': { 'document.format_profile': 'doc' },
  'encrypted.pdf': { 'security.encrypted': true, 'security.password_protected': true },
  'script.pdf': { 'security.has_javascript': true, 'security.active_content_risk': 'high' },
  'macros.ppt': { 'document.format_profile': 'ppt' },
  'legacy.xls': { 'document.format_profile': 'xls', 'document.author': 'Fixture Author' },
  'talk.key': { 'document.format_profile': 'key', 'keynote.slide_count': 1 },
  'table.numbers': { 'document.format_profile': 'numbers' },
  'paper.pages': { 'document.format_profile': 'pages' },
};

const FILES = ['.', 'gaps'].flatMap((folder) =>
  readdirSync(fixture(folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => path.posix.join(folder, name)),
);

describe('fixtures', () => {
  it('are all described here, or in the table of gaps', () => {
    const here = FILES.filter((name) => !name.startsWith('gaps/'));
    expect(here.sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(Object.entries(EXPECTED))('%s is what the engine says it is', (name, expected) => {
    const { value } = askEngine(['--targets=@all', '--probe-level=deep', '--view=values', '--', fixture(name)]);
    if (typeof expected === 'string') expect(value).toMatchObject({ status: 'error', error: { code: expected } });
    else expect(value).toMatchObject({ values: expected });
  });

  it('are a few KB each and come out of the generator byte for byte', () => {
    const folder = temporaryFolder();
    execFileSync(process.execPath, [path.join(PROJECT, 'tests/scripts/fixtures.mjs'), folder], {
      env: { ...process.env, TZ: 'Asia/Tokyo' },
    });
    for (const name of FILES) {
      expect(readFileSync(fixture(name)).equals(readFileSync(path.join(folder, name))), name).toBe(true);
      expect(statSync(fixture(name)).size, name).toBeLessThan(8192);
    }
  });
});
