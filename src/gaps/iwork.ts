import { type Gap, SEEN_WITH } from './gap.js';

export const IWORK_GAPS: readonly Gap[] = [
  {
    id: 'iwork-zipped-folder',
    kind: 'refused',
    engines: SEEN_WITH,
    formats: ['key', 'numbers', 'pages'],
    targets: [],
    agent: 'A compressed folder of an iWork document is refused as MALFORMED_INPUT.',
    person:
      'An iWork document that was saved as a folder and then compressed, as mail programs do, is refused as `MALFORMED_INPUT`. So is the folder itself (`INVALID_REQUEST`).',
    instead: 'Open it in Keynote, Numbers or Pages and save it as a single file.',
    fixtures: ['gaps/zipped.pages'],
  },
];
