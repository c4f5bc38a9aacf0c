import { readFileSync } from 'node:fs';
import path from 'node:path';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { INSTRUCTIONS } from '../src/instructions.js';
import { toJsonSchema } from '../src/schemas/json-schema.js';
import { probeInput } from '../src/schemas.js';
import { connect } from './helpers/clients.js';
import { paddedDocx } from './helpers/documents.js';
import { askEngine, type Json } from './helpers/engines.js';
import { fixture, temporaryFolder, writeFile } from './helpers/files.js';

/*
 * The instructions, descriptions and hints tell agents what the present engine does and does not do. Each test here
 * holds one such line; it fails on the day the engine no longer behaves so, and then the line is to be changed.
 */

interface View {
  status: string;
  values: Json;
  unresolved_targets: string[];
  error?: { code: string };
}

function view(name: string, ...flags: string[]): View {
  return askEngine(['--view=values', ...flags, '--', fixture(name)]).value as unknown as View;
}

const all = (name: string) => view(name, '--targets=@all', '--probe-level=deep');

interface Target {
  id: string;
  selectors: string[];
  min_level: string;
}

function targetsOf(format: string): Target[] {
  return askEngine(['targets', `--format=${format}`]).value.targets as Target[];
}

function selectorsOf(format: string, id: string): string[] {
  const target = targetsOf(format).find((each) => each.id === id);
  if (target === undefined) throw new Error(`${format} has no target ${id}`);
  return target.selectors;
}

function expectLine(line: string): void {
  expect(INSTRUCTIONS).toContain(line);
}

/** Holds a line of a field's description. */
function expectField(line: string): void {
  expect(JSON.stringify(toJsonSchema(probeInput(), 'input'))).toContain(line);
}

describe('how to ask', () => {
  it.each(['pdf', 'docx', 'xlsx', 'pptx', 'doc', 'xls', 'ppt'])(
    'the default and @summary of %s lack dates',
    (format) => {
      expectLine('The default and @summary lack dates');
      for (const id of ['document.created_at', 'document.modified_at']) {
        expect(selectorsOf(format, id)).not.toContain('@summary');
        expect(selectorsOf(format, id)).not.toContain('@default');
      }
    },
  );

  it.each([
    ['pdf', 'pdf.page_count'],
    ['doc', 'word.page_count'],
    ['xls', 'excel.sheet_count'],
    ['ppt', 'powerpoint.slide_count'],
  ])('@summary of %s lacks %s, @structure has it', (format, id) => {
    expectField('@summary (identity, counts but of PDF, .doc, .xls, .ppt)');
    expect(selectorsOf(format, id)).not.toContain('@summary');
    expect(selectorsOf(format, id)).toContain('@structure');
  });

  it('@security at the default level leaves out scripts without notice', () => {
    expectLine('The default level leaves out JavaScript and active_content_risk without notice');
    const shallow = view('script.pdf', '--targets=@security');
    expect(shallow.status).toBe('ok');
    expect(shallow.unresolved_targets).toEqual([]);
    for (const id of ['security.has_javascript', 'security.active_content_risk']) {
      expect(shallow.values).not.toHaveProperty([id]);
      expect(all('script.pdf').values[id]).toBeTruthy();
    }
  });

  it('a target name that a format lacks fails that file', () => {
    expectLine('a target name that a format lacks fails that file');
    expect(view('talk.key', '--targets=page_count').error?.code).toBe('UNSUPPORTED_TARGET');
  });

  it('all at deep, as values, takes 2 to 4 KB', () => {
    expectLine('view "values" (2-4 KB) answers most');
    for (const name of ['report.pdf', 'letter.docx', 'workbook.xlsx', 'deck.pptx', 'talk.key'])
      expect(JSON.stringify(all(name)).length, name).toBeLessThan(4096);
  });
});

describe('what is no clearance', () => {
  it.each(['dde-link.xlsx', 'connection.xlsx', 'activex.xlsx', 'dde-field.docx', 'remote-template.docx'])(
    'active_content_risk of %s is none or low',
    (name) => {
      expectLine('active_content_risk none or low misses DDE, ActiveX, data connections, remote templates');
      expect(['none', 'low']).toContain(all(`gaps/${name}`).values['security.active_content_risk']);
    },
  );

  it('has_macros of an .xls with an Excel 4 macro sheet is false', () => {
    expectLine('.xls misses Excel 4 macros');
    expect(all('gaps/macro-sheet.xls').values['security.has_macros']).toBe(false);
  });

  it('a PDF that was saved again is answered from an older revision', () => {
    expectLine('A PDF saved again after editing may be answered from an older revision');
    const pages = Array.from({ length: 20 }, () => all('gaps/revisions.pdf').values['pdf.page_count']);
    expect(pages.some((count) => count !== 2)).toBe(true);
  });

  it.each(['protected.xlsx', 'protected.docx', 'protected.pptx'])('password_protected of %s is false', (name) => {
    expectLine('password_protected is about opening: false for protected sheets, workbooks, documents');
    expect(all(`gaps/${name}`).values['security.password_protected']).toBe(false);
  });

  it('an encrypted PDF that opens without a password is told by two values', () => {
    expectLine('a PDF with password_protected false and page_count above 0 opens, its values hold');
    const { values } = all('gaps/empty-password.pdf');
    expect([values['security.encrypted'], values['security.password_protected'], values['pdf.page_count']]).toEqual([
      true,
      false,
      2,
    ]);
    expect(all('gaps/locked.pdf').values['pdf.page_count']).toBe(0);
  });
});

describe('how to read', () => {
  it.each(['encrypted.pdf', 'encrypted.xlsx'])('values of the encrypted %s describe the locked shell', (name) => {
    expectLine("trust no other value (page_count 0, has_macros false are the locked shell's)");
    const { values } = all(name);
    expect(values['security.encrypted']).toBe(true);
    expect(values['security.has_macros']).toBe(false);
    if (name.endsWith('.pdf')) expect(values['pdf.page_count']).toBe(0);
  });

  it.each(['encrypted.doc', 'legacy.xls', 'macros.ppt'])('encryption of %s is never resolved', (name) => {
    expectLine('.doc .xls .ppt never tell it: unknown');
    expect(all(name).unresolved_targets).toContain('security.encrypted');
  });

  it('a locked .doc shows 0 words', () => {
    expectLine('a locked .doc shows 0 words');
    expect(all('encrypted.doc').values['word.word_count']).toBe(0);
  });

  it('.xls leaves out hidden sheets', () => {
    expectLine('.xls leaves out hidden sheets');
    expect(all('legacy.xls').values['excel.sheet_names']).toEqual(['Figures']);
  });

  it('.pptx hidden slides are not counted', () => {
    expectLine('.pptx hidden_slide_count misses hidden slides');
    // The third slide is hidden by show="0" on its own part, which is where ISO/IEC 29500 has it.
    expect(all('deck.pptx').values['powerpoint.hidden_slide_count']).toBe(0);
  });

  it('.ppt macros can be missed', () => {
    expectLine('has_macros false: .xls misses Excel 4 macros, .ppt proves nothing');
    expect(all('macros.ppt').values['security.has_macros']).toBe(false);
  });

  it.each([
    'macros.docm',
    'gaps/macros.dotm',
    'macros.xlsm',
    'gaps/macros.xltm',
    'binary.xlsb',
    'macros.pptm',
    'gaps/macros.ppsm',
    'gaps/macros.potm',
  ])('%s is refused though it is sound', (name) => {
    expectLine(
      'Sound .docm .dotm .xlsm .xltm .xlsb .pptm .ppsm .potm are refused (MALFORMED_INPUT): they may hold macros',
    );
    expect(all(name).error?.code).toBe('MALFORMED_INPUT');
    expect(view(name, '--targets=@header').error?.code).toBe('MALFORMED_INPUT');
  });

  it('a file that is refused may answer with @header', () => {
    expect(view('corrupt.pdf').error?.code).toBe('MALFORMED_INPUT');
    expect(view('corrupt.pdf', '--targets=@header').status).toBe('ok');
  });

  it('a damaged PDF shows by pdf.repaired', () => {
    expectLine('pdf.repaired true marks damage');
    expect(all('repaired.pdf').values['pdf.repaired']).toBe(true);
    expect(all('report.pdf').values['pdf.repaired']).toBe(false);
  });

  it('an encrypted workbook has none of the Excel targets', async () => {
    const { client } = await connect();
    const { tools } = await client.listTools();
    expect(JSON.stringify(tools)).toContain('an encrypted .xlsx has none of the Excel targets');
    expect(view('encrypted.xlsx', '--targets=excel.sheet_count').error?.code).toBe('UNSUPPORTED_TARGET');
  });

  it('exact drops authors, titles, dates and Word page counts', () => {
    const exact = view('letter.docx', '--targets=@all', '--probe-level=deep', '--minimum-confidence=exact');
    for (const id of ['document.author', 'document.title', 'document.created_at', 'word.page_count']) {
      expect(all('letter.docx').values[id], id).toBeDefined();
      expect(exact.values[id], id).toBeUndefined();
    }
  });
});

describe('the budgets that the fields name', () => {
  const MIB = 1024 * 1024;
  const outcome = (file: string, ...flags: string[]) => {
    const { value } = askEngine(['--targets=@structure,@summary', ...flags, '--', file]);
    return (value.error as { code: string } | undefined)?.code ?? 'answered';
  };
  const file = (name: string, bytes: Uint8Array) => writeFile(path.join(temporaryFolder(), name), bytes);

  it('a PDF needs deep beyond 16 MiB', () => {
    expectLine('(a PDF over 16 MiB needs it)');
    const sound = readFileSync(fixture('report.pdf'), 'latin1');
    const end = sound.slice(sound.indexOf('startxref'));
    const pdf = (size: number) =>
      file('a.pdf', Buffer.from(`${sound}%${'x'.repeat(size - sound.length - end.length - 2)}\n${end}`, 'latin1'));
    expect(outcome(pdf(16 * MIB + 1))).toBe('BUDGET_EXCEEDED');
    expect(outcome(pdf(15 * MIB))).toBe('answered');
    expect(outcome(pdf(16 * MIB + 1), '--probe-level=deep')).toBe('answered');
  });

  it('an archive needs deep beyond 10,000 entries', () => {
    const archive = (count: number) =>
      file(
        'a.docx',
        zipSync(Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}`, new Uint8Array()])), { level: 0 }),
      );
    expect(outcome(archive(10_001))).toBe('BUDGET_EXCEEDED');
    expect(outcome(archive(10_000))).not.toBe('BUDGET_EXCEEDED');
    expect(outcome(archive(10_001), '--probe-level=deep')).not.toBe('BUDGET_EXCEEDED');
  });

  it('a part needs deep beyond 8 MiB unpacked', () => {
    expect(outcome(paddedDocx(9 * MIB))).toBe('BUDGET_EXCEEDED');
    expect(outcome(paddedDocx(7 * MIB))).toBe('answered');
    expect(outcome(paddedDocx(9 * MIB), '--probe-level=deep')).toBe('answered');
  });
});
