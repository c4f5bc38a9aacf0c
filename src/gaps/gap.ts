/** Something the engine says that misleads whoever reads it, and what they are told instead. */
export interface Gap {
  /** Stable, so that documents, tests and reports can name it. */
  readonly id: string;
  /**
   * `wrong`: the answer is not what the file says. `missing`: the file says more than is answered, and the answer does not show it.
   * `refused`: a sound file is not read. `reading`: the answer is right, and easily taken for something else.
   */
  readonly kind: 'wrong' | 'missing' | 'refused' | 'reading';
  /** The engine versions that it was seen with. */
  readonly engines: readonly string[];
  /** Profiles, as the engine's catalogue names them. */
  readonly formats: readonly string[];
  /** Canonical target ids; none where the whole file is concerned. */
  readonly targets: readonly string[];
  /** For an agent that asks for one of the targets: one sentence of at most 100 characters. */
  readonly agent: string;
  /** For a person: what is seen. */
  readonly person: string;
  /** For a person: what to do instead. */
  readonly instead: string;
  /** Files below tests/fixtures that show it. */
  readonly fixtures: readonly string[];
}

/** One sentence in the place of those of several gaps that concern the same target. */
export interface Merged {
  readonly formats: readonly string[];
  readonly target: string;
  /** Exactly the gaps that it speaks for. */
  readonly gaps: readonly string[];
  /** At most 100 characters. */
  readonly agent: string;
}

/** All that is known here was seen with this version. */
export const SEEN_WITH = ['2.7.0'] as const;

/** The profiles of each family, in the engine's order. */
export const WORD = ['docx', 'docm', 'dotx', 'dotm'] as const;
export const EXCEL = ['xlsx', 'xlsm', 'xltx', 'xltm', 'xlsb'] as const;
/** Workbooks whose sheets the engine reads: of `.xlsb` it tells the identity only. */
export const EXCEL_XML = ['xlsx', 'xlsm', 'xltx', 'xltm'] as const;
export const POWERPOINT = ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm'] as const;
export const OOXML = [...WORD, ...EXCEL, ...POWERPOINT] as const;
export const LEGACY = ['doc', 'xls', 'ppt'] as const;
