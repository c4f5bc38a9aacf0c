import { EXCEL_XML, type Gap, type Merged, POWERPOINT, SEEN_WITH, WORD } from './gap.js';

/** What is particular to one of the package formats. */
export const OOXML_FORMAT_GAPS: readonly Gap[] = [
  {
    id: 'excel-default-password',
    kind: 'wrong',
    engines: SEEN_WITH,
    formats: EXCEL_XML,
    targets: ['security.password_protected'],
    agent: 'True can be the default password of Excel, which opens such a workbook without asking.',
    person:
      "A workbook that is encrypted with Excel's own default password (old versions do that to protected workbooks) is `encrypted` and `password_protected`, though Excel opens it without asking.",
    instead: 'Open it in Excel: if it does not ask, save it without protection and ask again.',
    fixtures: ['gaps/default-password.xlsx'],
  },
  {
    id: 'word-paragraphs',
    kind: 'wrong',
    engines: SEEN_WITH,
    formats: WORD,
    targets: ['word.paragraph_count'],
    agent: 'As saved at level metadata; at deep every paragraph counts, empty ones and those of tables too.',
    person:
      '`paragraph_count` of a Word document changes with the level: at `metadata` it is what the last program saved (paragraphs with text), at `deep` every paragraph counts, empty ones too.',
    instead: 'Name the level with the number, and compare files at one level only.',
    fixtures: ['gaps/paragraphs.docx'],
  },
  {
    id: 'excel-hidden-sheets-listed',
    kind: 'reading',
    engines: SEEN_WITH,
    formats: EXCEL_XML,
    targets: ['excel.sheet_count', 'excel.sheet_names'],
    agent: 'Hidden sheets are included; which of them are hidden is not told.',
    person:
      'The sheet names and the sheet count of a workbook include hidden sheets. Which of them are hidden is not told.',
    instead: 'Ask for `hidden_sheet_count` beside them.',
    fixtures: ['workbook.xlsx'],
  },
  {
    id: 'powerpoint-hidden-slides',
    kind: 'wrong',
    engines: SEEN_WITH,
    formats: POWERPOINT,
    targets: ['powerpoint.hidden_slide_count'],
    agent: 'Misses hidden slides: 0 proves nothing.',
    person: '`hidden_slide_count` of a presentation misses hidden slides: 0 proves nothing.',
    instead: 'Open the presentation; hidden slides are marked in its overview.',
    fixtures: ['deck.pptx'],
  },
  {
    id: 'powerpoint-slides-counted',
    kind: 'reading',
    engines: SEEN_WITH,
    formats: POWERPOINT,
    targets: ['powerpoint.slide_count'],
    agent: 'Hidden slides are counted too.',
    person: '`slide_count` of a presentation counts hidden slides too.',
    instead: 'Take it as the number of slides in the file, not of those shown.',
    fixtures: ['deck.pptx'],
  },
  {
    id: 'powerpoint-media',
    kind: 'reading',
    engines: SEEN_WITH,
    formats: POWERPOINT,
    targets: ['powerpoint.unique_media_asset_count'],
    agent: 'Audio and video are one count.',
    person: 'Audio and video of a presentation are one count.',
    instead: 'Which of them there are is not told.',
    fixtures: ['gaps/media.pptx'],
  },
];

export const OOXML_FORMAT_MERGED: readonly Merged[] = [
  {
    formats: EXCEL_XML,
    target: 'security.password_protected',
    gaps: ['office-protection', 'excel-default-password'],
    agent: 'Opening only: protected sheets are false; true can be the default password Excel never asks for.',
  },
];
