// Writes tests/fixtures anew, or the folder that is named as the argument. The bytes depend on the generators alone, so a run without a change leaves no difference.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cfb } from './fixtures/cfb.mjs';
import * as word from './fixtures/doc.mjs';
import * as iwork from './fixtures/iwork.mjs';
import { docx, macroEnabled, pptx, xlsx } from './fixtures/ooxml.mjs';
import { encryptedOoxml } from './fixtures/ooxml-encrypted.mjs';
import * as xlsxGaps from './fixtures/ooxml-excel.mjs';
import * as pptxGaps from './fixtures/ooxml-powerpoint.mjs';
import * as docxGaps from './fixtures/ooxml-word.mjs';
import * as pdf from './fixtures/pdf.mjs';
import { revisionsPdf } from './fixtures/pdf-revisions.mjs';
import * as powerpoint from './fixtures/ppt.mjs';
import * as excel from './fixtures/xls.mjs';

/** A compound file in the place of a VBA project; no code is in it. */
const vbaProject = cfb({ PROJECT: Buffer.from('ID="{00000000-0000-0000-0000-000000000000}"\r\n', 'latin1') });
const withMacros = (extension) => macroEnabled(extension, vbaProject);

const FIXTURES = {
  'report.pdf': pdf.pdf(),
  'corrupt.pdf': pdf.corruptPdf(),
  'repaired.pdf': pdf.repairablePdf(),
  'encrypted.pdf': pdf.encryptedPdf(),
  'script.pdf': pdf.scriptPdf(),
  'letter.docx': docx(),
  'workbook.xlsx': xlsx(),
  'deck.pptx': pptx(),
  'renamed.docx': pptx(),
  'macros.docm': withMacros('docm'),
  'macros.xlsm': withMacros('xlsm'),
  'macros.pptm': withMacros('pptm'),
  'binary.xlsb': withMacros('xlsb'),
  'encrypted.xlsx': encryptedOoxml(),
  'legacy.xls': excel.xls(),
  'macros.ppt': powerpoint.macrosPpt(),
  'encrypted.doc': word.encryptedDoc(),
  'talk.key': iwork.key(),
  'table.numbers': iwork.numbers(),
  'paper.pages': iwork.pages(),
  // What the engine misses or misreads: src/gaps.ts says of each what.
  'gaps/revisions.pdf': revisionsPdf(),
  'gaps/producer.pdf': pdf.producerPdf(),
  'gaps/leading-bytes.pdf': pdf.leadingBytesPdf(),
  'gaps/empty-password.pdf': pdf.emptyPasswordPdf(),
  'gaps/forty-bit.pdf': pdf.fortyBitPdf(),
  'gaps/locked.pdf': pdf.lockedPdf(),
  'gaps/no-attachment.pdf': pdf.noAttachmentPdf(),
  'gaps/dde-field.docx': docxGaps.ddeFieldDocx(),
  'gaps/remote-template.docx': docxGaps.remoteTemplateDocx(),
  'gaps/hyperlink.docx': docxGaps.hyperlinkDocx(),
  'gaps/protected.docx': docxGaps.protectedDocx(),
  'gaps/paragraphs.docx': docxGaps.paragraphsDocx(),
  'gaps/document2.docx': docxGaps.document2Docx(),
  'gaps/strict.docx': docxGaps.strictDocx(),
  'gaps/dde-link.xlsx': xlsxGaps.ddeLinkXlsx(),
  'gaps/connection.xlsx': xlsxGaps.connectionXlsx(),
  'gaps/activex.xlsx': xlsxGaps.activexXlsx(),
  'gaps/protected.xlsx': xlsxGaps.protectedXlsx(),
  'gaps/default-password.xlsx': xlsxGaps.defaultPasswordXlsx(),
  'gaps/chart.pptx': pptxGaps.chartPptx(),
  'gaps/protected.pptx': pptxGaps.protectedPptx(),
  'gaps/media.pptx': pptxGaps.mediaPptx(),
  'gaps/macros.dotm': withMacros('dotm'),
  'gaps/macros.xltm': withMacros('xltm'),
  'gaps/macros.potm': withMacros('potm'),
  'gaps/macros.ppsm': withMacros('ppsm'),
  'gaps/macro-sheet.xls': excel.macroSheetXls(),
  'gaps/biff5.xls': excel.biff5Xls(),
  'gaps/charts.xls': excel.chartsXls(),
  'gaps/embedded.xls': excel.embeddedXls(),
  'gaps/embedded-word.xls': excel.embeddedWordXls(),
  'gaps/dates.xls': excel.datesXls(),
  'gaps/embedded.ppt': powerpoint.embeddedPpt(),
  'gaps/notes.ppt': powerpoint.notesPpt(),
  'gaps/words.doc': word.wordsDoc(),
  'gaps/object.doc': word.objectDoc(),
  'gaps/zipped.pages': iwork.zippedPages(),
};

const folder = process.argv[2] ?? fileURLToPath(new URL('../fixtures', import.meta.url));
mkdirSync(path.join(folder, 'gaps'), { recursive: true });
for (const [name, bytes] of Object.entries(FIXTURES)) writeFileSync(path.join(folder, name), bytes);
