// Writes tests/fixtures anew, or the folder that is named as the argument. The bytes depend on the generators alone, so a run without a change leaves no difference.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { encryptedDoc, encryptedOoxml, macrosPpt, vbaProject, xls } from './fixtures/cfb.mjs';
import { key, numbers, pages } from './fixtures/iwork.mjs';
import { docx, macroEnabled, pptx, xlsx } from './fixtures/ooxml.mjs';
import { corruptPdf, encryptedPdf, pdf, repairablePdf, scriptPdf } from './fixtures/pdf.mjs';

const FIXTURES = {
  'report.pdf': pdf(),
  'corrupt.pdf': corruptPdf(),
  'repaired.pdf': repairablePdf(),
  'encrypted.pdf': encryptedPdf(),
  'script.pdf': scriptPdf(),
  'letter.docx': docx(),
  'workbook.xlsx': xlsx(),
  'deck.pptx': pptx(),
  'renamed.docx': pptx(),
  'macros.docm': macroEnabled('docm', vbaProject()),
  'macros.xlsm': macroEnabled('xlsm', vbaProject()),
  'macros.pptm': macroEnabled('pptm', vbaProject()),
  'binary.xlsb': macroEnabled('xlsb', vbaProject()),
  'encrypted.xlsx': encryptedOoxml(),
  'legacy.xls': xls(),
  'macros.ppt': macrosPpt(),
  'encrypted.doc': encryptedDoc(),
  'talk.key': key(),
  'table.numbers': numbers(),
  'paper.pages': pages(),
};

const folder = process.argv[2] ?? fileURLToPath(new URL('../fixtures', import.meta.url));
for (const [name, bytes] of Object.entries(FIXTURES)) writeFileSync(path.join(folder, name), bytes);
