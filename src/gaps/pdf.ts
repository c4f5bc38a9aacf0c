import { type Gap, type Merged, SEEN_WITH } from './gap.js';

const formats = ['pdf'];

export const PDF_GAPS: readonly Gap[] = [
  {
    id: 'pdf-revisions',
    kind: 'wrong',
    engines: SEEN_WITH,
    formats,
    targets: [
      'pdf.page_count',
      'pdf.form_field_count',
      'security.has_javascript',
      'security.active_content_risk',
      'document.modified_at',
    ],
    agent: 'May be an older revision, and change from run to run, where the file was saved again after editing.',
    person:
      'A PDF that was saved again after editing, with object streams (as Acrobat does), is answered from an earlier revision, not the same one in every run. Pages, scripts, form fields and dates can be old, with confidence `exact`.',
    instead:
      'Ask twice where it matters, and never clear such a file on `has_javascript` false. Save it anew as a whole ("save as", or print to PDF) and ask again.',
    fixtures: ['gaps/revisions.pdf'],
  },
  {
    id: 'pdf-locked',
    kind: 'wrong',
    engines: SEEN_WITH,
    formats,
    targets: ['pdf.page_count', 'security.encrypted'],
    agent: 'In a file that needs a password, 0 and false describe the locked shell.',
    person:
      'A PDF that needs a password is `encrypted` and `password_protected`, and has `page_count` 0 with confidence `exact`.',
    instead: 'Take a `page_count` of 0 as the sign of a file that was not read. Remove the password and ask again.',
    fixtures: ['encrypted.pdf', 'gaps/locked.pdf'],
  },
  {
    id: 'pdf-empty-password',
    kind: 'reading',
    engines: SEEN_WITH,
    formats,
    targets: ['security.encrypted'],
    agent: 'True beside password_protected false: every reader opens it, and the values hold.',
    person:
      'A PDF that is encrypted only to restrict printing or copying is `encrypted` true and `password_protected` false. It opens for everybody, and its values are right.',
    instead:
      'Trust the values where `password_protected` is false and `page_count` is not 0. In the report view the `source` of `password_protected` says "PDF encryption accepts the empty password". What is restricted is not told.',
    fixtures: ['gaps/empty-password.pdf'],
  },
  {
    id: 'pdf-forty-bit',
    kind: 'missing',
    engines: SEEN_WITH,
    formats,
    targets: ['pdf.page_count', 'security.password_protected'],
    agent: 'Unresolved beside encrypted true: 40-bit encryption that is not read; it may open for everybody.',
    person:
      'A PDF with the oldest encryption (40 bits, with its key length written down) is not read even if it opens without a password: `page_count` 0, `password_protected` unresolved.',
    instead: 'Open it in a PDF reader to see whether it asks for a password.',
    fixtures: ['gaps/forty-bit.pdf'],
  },
  {
    id: 'pdf-application',
    kind: 'wrong',
    engines: SEEN_WITH,
    formats,
    targets: ['document.application', 'document.application_version'],
    agent: 'application is what wrote the PDF, application_version the program the document was made with.',
    person:
      '`document.application` is the producer, that is the library or driver which wrote the PDF. `document.application_version` is no version but the creator, the program that the document was made with.',
    instead: 'Read `application_version` as the program and `application` as the PDF writer.',
    fixtures: ['gaps/producer.pdf'],
  },
  {
    id: 'pdf-dates',
    kind: 'wrong',
    engines: SEEN_WITH,
    formats,
    targets: ['document.created_at', 'document.modified_at'],
    agent: 'As the file has it, D:YYYYMMDDHHmmSS and a zone, where other formats give ISO 8601.',
    person: 'Dates of a PDF come as the file has them (`D:20240102030405Z`), those of Office files as ISO 8601.',
    instead:
      "Convert them before comparing: year, month, day, hour, minute, second, then `Z` or an offset like `+01'00'`.",
    fixtures: ['gaps/producer.pdf'],
  },
  {
    id: 'pdf-leading-bytes',
    kind: 'refused',
    engines: SEEN_WITH,
    formats,
    targets: [],
    agent: 'A PDF with bytes before %PDF is refused (MALFORMED_INPUT), though readers open it.',
    person:
      'A PDF with other bytes before its `%PDF` header, such as those of a web server, is refused as `MALFORMED_INPUT`.',
    instead: 'Cut the file so that it begins with `%PDF`, or save it anew from a PDF reader.',
    fixtures: ['gaps/leading-bytes.pdf'],
  },
  {
    id: 'pdf-no-attachment',
    kind: 'wrong',
    engines: SEEN_WITH,
    formats,
    targets: ['security.has_embedded_files'],
    agent: 'True beside attachment_count 0: an empty list of attachments, or a leftover that none refers to.',
    person:
      '`has_embedded_files` is true, and `active_content_risk` low, for a PDF whose list of attachments is empty.',
    instead: 'Ask for `attachment_count` too: 0 beside true means that no attachment can be opened from the document.',
    fixtures: ['gaps/no-attachment.pdf'],
  },
];

export const PDF_MERGED: readonly Merged[] = [
  {
    formats,
    target: 'pdf.page_count',
    gaps: ['pdf-revisions', 'pdf-locked', 'pdf-forty-bit'],
    agent: '0 means not read (encrypted); saved again after editing, may be old and change from run to run.',
  },
  {
    formats,
    target: 'security.encrypted',
    gaps: ['pdf-locked', 'pdf-empty-password'],
    agent: 'True with page_count 0: nothing else is known; with pages: it opens for all, and the values hold.',
  },
  {
    formats,
    target: 'document.modified_at',
    gaps: ['pdf-revisions', 'pdf-dates'],
    agent: 'As the file has it (D:YYYYMMDDHHmmSS and a zone); may be an older revision if it was saved again.',
  },
];
