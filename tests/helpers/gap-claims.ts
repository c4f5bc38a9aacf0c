import type { Json } from './engines.js';

/** In the place of a value: the engine leaves the target unresolved. */
export const UNRESOLVED = 'unresolved';

/** What the engine says of a fixture, against what the file holds: some of its values, or the code of a refusal. */
export interface Claim {
  readonly fixture: string;
  readonly says: Json | string;
  /** Where the answer changes from run to run: the right one, which at least one of twenty runs misses. */
  readonly right?: Json;
  /** Default: all at level deep. */
  readonly targets?: string;
  readonly level?: string;
}

const refused = (...fixtures: string[]): Claim[] => fixtures.map((fixture) => ({ fixture, says: 'MALFORMED_INPUT' }));
const LEGACY_UNKNOWN = { 'security.encrypted': UNRESOLVED, 'security.password_protected': UNRESOLVED };
const NO_DATES = { 'document.created_at': UNRESOLVED, 'document.modified_at': UNRESOLVED };
const NO_RISK = { 'security.active_content_risk': 'none' };
const OPENS = { 'security.password_protected': false };

/** For each entry of the table, what shows that it is still so. The right answers stand in the comments. */
export const CLAIMS: Record<string, readonly Claim[]> = {
  'pdf-revisions': [
    {
      fixture: 'gaps/revisions.pdf',
      says: {
        'pdf.page_count': 1,
        'security.has_javascript': false,
        'security.active_content_risk': 'none',
        'document.modified_at': 'D:20240102030405Z',
      },
      right: {
        'pdf.page_count': 2,
        'security.has_javascript': true,
        'security.active_content_risk': 'high',
        'document.modified_at': 'D:20240203030405Z',
      },
    },
  ],
  // Two pages each.
  'pdf-locked': ['encrypted.pdf', 'gaps/locked.pdf'].map((fixture) => ({
    fixture,
    says: { 'security.encrypted': true, 'security.password_protected': true, 'pdf.page_count': 0 },
  })),
  'pdf-empty-password': [
    {
      fixture: 'gaps/empty-password.pdf',
      says: {
        'security.encrypted': true,
        ...OPENS,
        'pdf.page_count': 2,
        'document.title': 'Fixture report',
      },
    },
  ],
  // The same as the file above.
  'pdf-forty-bit': [
    {
      fixture: 'gaps/forty-bit.pdf',
      says: {
        'security.encrypted': true,
        'security.password_protected': UNRESOLVED,
        'pdf.page_count': 0,
        'document.title': UNRESOLVED,
      },
    },
  ],
  // The application is the writer, and it has no version.
  'pdf-application': [
    {
      fixture: 'gaps/producer.pdf',
      says: { 'document.application': 'Fixture Library 3.1', 'document.application_version': 'Fixture Writer' },
    },
  ],
  // 2024-01-02T03:04:05Z and 2024-02-03T04:05:06Z.
  'pdf-dates': [
    {
      fixture: 'gaps/producer.pdf',
      says: { 'document.created_at': 'D:20240102030405Z', 'document.modified_at': 'D:20240203040506Z' },
    },
  ],
  'pdf-leading-bytes': refused('gaps/leading-bytes.pdf'),
  // Nothing is embedded.
  'pdf-no-attachment': [
    {
      fixture: 'gaps/no-attachment.pdf',
      says: {
        'security.has_embedded_files': true,
        'security.active_content_risk': 'low',
        'pdf.attachment_count': 0,
      },
    },
  ],
  // High, as for macros, or at least medium.
  'office-active-content': [
    { fixture: 'gaps/dde-link.xlsx', says: NO_RISK },
    { fixture: 'gaps/connection.xlsx', says: NO_RISK },
    { fixture: 'gaps/activex.xlsx', says: NO_RISK },
    { fixture: 'gaps/dde-field.docx', says: NO_RISK },
    {
      fixture: 'gaps/remote-template.docx',
      says: { 'security.active_content_risk': 'low', 'security.has_external_relationships': true },
    },
  ],
  // Nothing but a chart.
  'office-chart-workbook': [
    {
      fixture: 'gaps/chart.pptx',
      says: {
        'security.has_embedded_files': true,
        'security.active_content_risk': 'medium',
        'powerpoint.chart_part_count': 1,
      },
    },
  ],
  // Protected against changes.
  'office-protection': ['gaps/protected.xlsx', 'gaps/protected.docx', 'gaps/protected.pptx'].map((fixture) => ({
    fixture,
    says: OPENS,
  })),
  // Opens without asking.
  'excel-default-password': [
    {
      fixture: 'gaps/default-password.xlsx',
      says: { 'security.encrypted': true, 'security.password_protected': true },
    },
  ],
  // Neither is known.
  'office-encrypted': [
    { fixture: 'encrypted.xlsx', says: { 'security.has_macros': false, 'security.has_embedded_files': true } },
    { fixture: 'encrypted.xlsx', targets: 'excel.sheet_count', says: 'UNSUPPORTED_TARGET' },
  ],
  'office-hyperlinks': [{ fixture: 'gaps/hyperlink.docx', says: { 'security.has_external_relationships': true } }],
  // Strict.
  'office-strict': [{ fixture: 'gaps/strict.docx', says: { 'office.conformance': 'transitional' } }],
  'office-main-part': refused('gaps/document2.docx'),
  'office-macro-enabled': refused(
    'macros.docm',
    'macros.xlsm',
    'macros.pptm',
    'binary.xlsb',
    'gaps/macros.dotm',
    'gaps/macros.xltm',
    'gaps/macros.potm',
    'gaps/macros.ppsm',
  ),
  // The same number at both levels.
  'word-paragraphs': [
    { fixture: 'gaps/paragraphs.docx', level: 'metadata', says: { 'word.paragraph_count': 1 } },
    { fixture: 'gaps/paragraphs.docx', says: { 'word.paragraph_count': 4 } },
  ],
  'excel-hidden-sheets-listed': [
    {
      fixture: 'workbook.xlsx',
      says: { 'excel.sheet_count': 2, 'excel.sheet_names': ['Figures', 'Notes'], 'excel.hidden_sheet_count': 1 },
    },
  ],
  // One.
  'powerpoint-hidden-slides': [{ fixture: 'deck.pptx', says: { 'powerpoint.hidden_slide_count': 0 } }],
  'powerpoint-slides-counted': [{ fixture: 'deck.pptx', says: { 'powerpoint.slide_count': 3 } }],
  'powerpoint-media': [{ fixture: 'gaps/media.pptx', says: { 'powerpoint.unique_media_asset_count': 2 } }],
  // True for the first, false for the others.
  'legacy-encryption': ['encrypted.doc', 'legacy.xls', 'macros.ppt'].map((fixture) => ({
    fixture,
    says: LEGACY_UNKNOWN,
  })),
  // 2024-01-02T03:04:05Z and 2024-02-03T04:05:06Z.
  'legacy-dates': ['gaps/words.doc', 'gaps/dates.xls', 'gaps/notes.ppt'].map((fixture) => ({
    fixture,
    says: { 'document.author': 'Fixture Author', ...NO_DATES },
  })),
  // The document has neither.
  'legacy-object-properties': [
    { fixture: 'gaps/object.doc', says: { 'document.title': 'Object', 'document.author': 'Object Author' } },
  ],
  // Nine each time.
  'doc-counts': [
    { fixture: 'gaps/words.doc', targets: 'word.word_count', says: { 'word.word_count': 9 } },
    { fixture: 'gaps/words.doc', says: { 'word.word_count': 12 } },
  ],
  // Unknown.
  'doc-locked-counts': [
    {
      fixture: 'encrypted.doc',
      says: { 'word.word_count': 0, 'word.character_count': 0, 'word.paragraph_count': 0 },
    },
  ],
  // True.
  'xls-macro-sheets': [{ fixture: 'gaps/macro-sheet.xls', says: { 'security.has_macros': false } }],
  // True.
  'xls-embedded': [{ fixture: 'gaps/embedded.xls', says: { 'security.has_embedded_files': false } }],
  'xls-embedded-document': refused('gaps/embedded-word.xls'),
  // Two: Figures, and Notes, which is hidden.
  'xls-hidden-sheets': [{ fixture: 'legacy.xls', says: { 'excel.sheet_count': 1, 'excel.sheet_names': ['Figures'] } }],
  // One: Figures.
  'xls-chart-sheets': [
    { fixture: 'gaps/charts.xls', says: { 'excel.sheet_count': 2, 'excel.sheet_names': ['Figures', 'Sheet2'] } },
  ],
  // Income and Costs.
  'xls-excel5-names': [{ fixture: 'gaps/biff5.xls', says: { 'excel.sheet_names': ['Sheet1', 'Sheet2'] } }],
  // True.
  'ppt-macros': [{ fixture: 'macros.ppt', says: { 'security.has_macros': false } }],
  // True.
  'ppt-embedded': [{ fixture: 'gaps/embedded.ppt', says: { 'security.has_embedded_files': false } }],
  // Two.
  'ppt-slide-count': [{ fixture: 'gaps/notes.ppt', says: { 'powerpoint.slide_count': 1 } }],
  // One.
  'ppt-notes': [{ fixture: 'gaps/notes.ppt', says: { 'powerpoint.notes_slide_count': 0 } }],
  'iwork-zipped-folder': refused('gaps/zipped.pages'),
};
