import { type Gap, type Merged, OOXML, SEEN_WITH } from './gap.js';

/** The types of files that may hold macros, and `.xlsb`, whose main part is named alike. */
const MACRO_ENABLED = ['docm', 'dotm', 'xlsm', 'xltm', 'xlsb', 'pptm', 'ppsm', 'potm'];

/** What the package formats of Word, Excel and PowerPoint have in common. */
export const OOXML_GAPS: readonly Gap[] = [
  {
    id: 'office-active-content',
    kind: 'missing',
    engines: SEEN_WITH,
    formats: OOXML,
    targets: ['security.active_content_risk'],
    agent: 'none or low is no clearance: it misses DDE, ActiveX, data connections and remote templates.',
    person:
      '`active_content_risk` looks for macros, embedded files and external links only. DDE fields and links, ActiveX controls and data connections are "none"; a template that is fetched from a server is "low", as any hyperlink is.',
    instead:
      'Take "none" and "low" as "nothing found", not as safe. Have a scanner for malicious documents look at the file.',
    fixtures: [
      'gaps/dde-link.xlsx',
      'gaps/connection.xlsx',
      'gaps/activex.xlsx',
      'gaps/dde-field.docx',
      'gaps/remote-template.docx',
    ],
  },
  {
    id: 'office-chart-workbook',
    kind: 'wrong',
    engines: SEEN_WITH,
    formats: OOXML,
    targets: ['security.has_embedded_files', 'security.active_content_risk'],
    agent: 'True can be nothing but the workbook that holds the numbers of a chart.',
    person:
      'The workbook that every chart carries for its numbers counts as an embedded file: `has_embedded_files` is true and `active_content_risk` medium.',
    instead: 'Compare with the chart part count where the format has one; open the file to see what is embedded.',
    fixtures: ['gaps/chart.pptx'],
  },
  {
    id: 'office-protection',
    kind: 'missing',
    engines: SEEN_WITH,
    formats: OOXML,
    targets: ['security.password_protected'],
    agent: 'Speaks of opening only: false for a sheet, workbook or document protected against changes.',
    person:
      '`password_protected` speaks of opening the file. A protected sheet, workbook structure, document or presentation is false, with or without a password.',
    instead: 'Open the file to see whether it is protected against changes; nothing here tells.',
    fixtures: ['gaps/protected.xlsx', 'gaps/protected.docx', 'gaps/protected.pptx'],
  },
  {
    id: 'office-encrypted',
    kind: 'wrong',
    engines: SEEN_WITH,
    formats: OOXML,
    targets: ['security.encrypted'],
    agent: 'If true, nothing else is known: has_macros false, has_embedded_files true describe the shell.',
    person:
      'Of an encrypted Office document only the encryption is known. `has_macros` is false and `has_embedded_files` true whatever is inside, and the targets of its format are refused.',
    instead: 'Ask only `@security`; remove the password and ask again for the rest.',
    fixtures: ['encrypted.xlsx'],
  },
  {
    id: 'office-hyperlinks',
    kind: 'reading',
    engines: SEEN_WITH,
    formats: OOXML,
    targets: ['security.has_external_relationships'],
    agent: 'True for any hyperlink to a web page as much as for a template or data that is fetched.',
    person: '`has_external_relationships` is true for any hyperlink to a web page. Which links there are is not told.',
    instead: 'Take true as "has a link", no more.',
    fixtures: ['gaps/hyperlink.docx'],
  },
  {
    id: 'office-strict',
    kind: 'wrong',
    engines: SEEN_WITH,
    formats: OOXML,
    targets: ['office.conformance'],
    agent: 'Strict files are called transitional too.',
    person: '`office.conformance` is transitional for strict Office documents as well.',
    instead: 'Look for `purl.oclc.org` in the main part of the package, which is a ZIP archive.',
    fixtures: ['gaps/strict.docx'],
  },
  {
    id: 'office-main-part',
    kind: 'refused',
    engines: SEEN_WITH,
    formats: OOXML,
    targets: [],
    agent: 'Sound files whose main part has another name (document2.xml) are refused as MALFORMED_INPUT.',
    person:
      'An Office document whose main part is not named as usual is refused as `MALFORMED_INPUT`. Office 365 writes `word/document2.xml` at times.',
    instead: 'Open it in another Office program, such as LibreOffice, and save it anew.',
    fixtures: ['gaps/document2.docx'],
  },
  {
    id: 'office-macro-enabled',
    kind: 'refused',
    engines: SEEN_WITH,
    formats: MACRO_ENABLED,
    targets: ['security.has_macros'],
    agent: 'Files of this type as Office writes them are refused (MALFORMED_INPUT): assume macros.',
    person:
      '`.docm .dotm .xlsm .xltm .pptm .ppsm .potm` and `.xlsb` files as Office writes them are refused as `MALFORMED_INPUT`, although `list_formats` names them. They are not damaged.',
    instead:
      'Assume that such a file may hold macros. A copy saved without macros (`.docx`, `.xlsx`, `.pptx`) can be asked about.',
    fixtures: [
      'macros.docm',
      'macros.xlsm',
      'macros.pptm',
      'binary.xlsb',
      'gaps/macros.dotm',
      'gaps/macros.xltm',
      'gaps/macros.potm',
      'gaps/macros.ppsm',
    ],
  },
];

export const OOXML_MERGED: readonly Merged[] = [
  {
    formats: OOXML,
    target: 'security.active_content_risk',
    gaps: ['office-active-content', 'office-chart-workbook'],
    agent: 'none or low is no clearance (DDE, ActiveX, connections, templates); medium may be a mere chart.',
  },
];
