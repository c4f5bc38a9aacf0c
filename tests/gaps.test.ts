import { readdirSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CAVEAT_LIMIT, caveatsFor, GAPS, type Gap, MERGED } from '../src/gaps.js';
import { askEngine, type Json } from './helpers/engines.js';
import { fixture } from './helpers/files.js';
import { CLAIMS, type Claim, UNRESOLVED } from './helpers/gap-claims.js';

/** The profiles that the engine has a catalogue for. */
const PROFILES = (askEngine(['formats']).value.formats as { profiles: string[] }[])
  .flatMap(({ profiles }) => profiles)
  .filter((profile) => profile !== 'encrypted-ooxml');

interface Target {
  id: string;
  aliases: string[];
  applicable: boolean;
}
type Catalogue = Json & { profile: string; targets: (Target & Json)[] };

const catalogueOf = (format: string) => askEngine(['targets', `--format=${format}`]).value as Catalogue;
const CATALOGUES = new Map(PROFILES.map((profile) => [profile, catalogueOf(profile)]));

/** What the engine says of that which a claim is about, in the claim's own form. */
function answerTo({ fixture: name, says, targets = '@all', level = 'deep' }: Claim): Json | string {
  const flags = [`--targets=${targets}`, `--probe-level=${level}`, '--view=values'];
  const { error, values, unresolved_targets } = askEngine([...flags, '--', fixture(name)]).value as Json & {
    error?: { code: string };
    values: Json;
    unresolved_targets: string[];
  };
  if (error !== undefined) return error.code;
  const names = typeof says === 'string' ? [] : Object.keys(says);
  return Object.fromEntries(
    names.map((id) => [id, id in values ? values[id] : unresolved_targets.includes(id) ? UNRESOLVED : undefined]),
  );
}

/** What a failing test says of an entry that no longer holds. */
function closed({ id, kind }: Gap, { fixture: name }: Claim, answer: Json | string): string {
  const what = kind === 'reading' ? `${id} no longer holds` : `gap ${id} seems closed`;
  return `${what}: ${name} now says ${JSON.stringify(answer)}; take it out of the table in src/gaps, and out of docs/upstream.md`;
}

describe('each entry of the table still holds', () => {
  it.each(GAPS.map((gap) => [gap.id, gap] as const))('%s', (id, gap) => {
    for (const claim of CLAIMS[id] ?? []) {
      const answer = answerTo(claim);
      if (claim.right === undefined) expect(answer, closed(gap, claim, answer)).toEqual(claim.says);
      else {
        const answers = [answer, ...Array.from({ length: 19 }, () => answerTo(claim))];
        const wrong = answers.filter((each) => !isDeepStrictEqual(each, claim.right));
        expect(wrong, closed(gap, claim, answer)).not.toEqual([]);
        for (const each of wrong) expect(each, `${id}: not even an earlier revision`).toBeTypeOf('object');
      }
    }
  });

  it('has a test on each of its fixtures, and every fixture belongs to one', () => {
    expect(Object.keys(CLAIMS).sort()).toEqual(GAPS.map(({ id }) => id).sort());
    for (const { id, fixtures } of GAPS) {
      expect(fixtures, `${id} has no fixture`).not.toEqual([]);
      expect(new Set(CLAIMS[id]?.map((claim) => claim.fixture)), id).toEqual(new Set(fixtures));
    }
    const used = new Set(GAPS.flatMap(({ fixtures }) => fixtures));
    for (const name of readdirSync(fixture('gaps')))
      expect(used, `no gap is shown by ${name}`).toContain(`gaps/${name}`);
  });
});

describe('what docs/limits.md says besides', () => {
  it('an empty string means recorded, but empty', () => {
    const says = { 'document.subject': '', 'document.keywords': UNRESOLVED };
    expect(answerTo({ fixture: 'gaps/producer.pdf', says })).toEqual(says);
  });

  it('the report view tells why an encrypted PDF is not password protected', () => {
    const flags = ['--targets=security.password_protected', '--probe-level=deep', '--'];
    const source = (name: string) =>
      (askEngine([...flags, fixture(name)]).value.results as Record<string, { source: string }>)[
        'security.password_protected'
      ]?.source;
    expect(source('gaps/empty-password.pdf')).toBe('PDF encryption accepts the empty password');
    expect(source('gaps/locked.pdf')).toBe('PDF encryption rejects the empty password');
  });
});

describe('the table', () => {
  it('names each entry once, with what it needs', () => {
    expect(new Set(GAPS.map(({ id }) => id)).size).toBe(GAPS.length);
    for (const { id, engines, formats, agent, person, instead } of GAPS) {
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+$/);
      for (const version of engines) expect(version, id).toMatch(/^2\.\d+\.\d+$/);
      expect(engines, id).not.toEqual([]);
      expect(formats, id).not.toEqual([]);
      for (const text of [agent, person, instead]) expect(text, id).toMatch(/\.$/);
    }
  });

  it.each(GAPS.map((gap) => [gap.id, gap] as const))('%s: its formats and targets are the engine’s', (_id, gap) => {
    for (const format of gap.formats) {
      expect(PROFILES).toContain(format);
      const applicable = CATALOGUES.get(format)?.targets.filter((target) => target.applicable) ?? [];
      for (const target of gap.targets)
        expect(
          applicable.map(({ id }) => id),
          format,
        ).toContain(target);
    }
  });

  it.each(PROFILES)('%s: one sentence a target, and where several gaps meet, one that speaks for all', (profile) => {
    const gaps = GAPS.filter(({ formats }) => formats.includes(profile));
    const caveats = caveatsFor(profile);
    const concerned = [...new Set(gaps.flatMap(({ targets }) => targets))];
    expect([...caveats.keys()].sort()).toEqual(concerned.sort());
    for (const target of concerned) {
      const ids = gaps.filter(({ targets }) => targets.includes(target)).map(({ id }) => id);
      const merged = MERGED.filter((each) => each.target === target && each.formats.includes(profile));
      expect(
        merged.map(({ gaps: spokenFor }) => spokenFor),
        target,
      ).toEqual(ids.length > 1 ? [ids] : []);
      const caveat = caveats.get(target) ?? '';
      expect(caveat, target).toMatch(/^[^.]([^.]|\.[a-z])*\.$/);
      expect(caveat.length, `${target}: ${caveat}`).toBeLessThanOrEqual(CAVEAT_LIMIT);
    }
  });

  it('knows nothing of a format that it does not name', () => {
    for (const profile of ['', 'tsv', 'encrypted-ooxml', '__proto__']) expect(caveatsFor(profile).size).toBe(0);
  });

  it('has no sentence that speaks for a gap which is not there', () => {
    const ids = GAPS.map(({ id }) => id);
    for (const { gaps } of MERGED) for (const id of gaps) expect(ids).toContain(id);
  });
});
