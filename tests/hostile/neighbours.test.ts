import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ListingLimits } from '../../src/filesystem.js';
import { LIMITS } from '../../src/paths/neighbour.js';
import { initialize, sendProbe, startBin } from '../helpers/bin.js';
import { call, connect } from '../helpers/clients.js';
import { fixture, temporaryFolder, writeFile } from '../helpers/files.js';
import { neighboursWithin } from '../helpers/paths-under-test.js';

async function hintFor(requested: string, roots?: string[]): Promise<string | undefined> {
  const { client } = await connect(roots ? { roots } : {});
  const { code, hint } = await call(client, 'probe', { path: requested });
  expect(code).toBe('MCP_PATH_NOT_FOUND');
  return hint;
}

function nearlyMatching(file: string, limits: ListingLimits): Promise<string | undefined> {
  return neighboursWithin(limits).nearlyMatching(file);
}

const offer = (file: string) => `Did you mean ${JSON.stringify(file)}?`;

/** A test: what is there is offered for what was asked for. */
async function isOffered(_what: string, present: string, requested: string): Promise<void> {
  const folder = temporaryFolder();
  const file = writeFile(path.join(folder, present), '');
  writeFile(path.join(folder, 'unrelated.pdf'), '');
  expect(await hintFor(path.join(folder, requested))).toContain(offer(file));
}

describe('a name that differs by a space that looks alike', () => {
  it.each([
    ['a no-break space', 'a\u00a0b.pdf', 'a b.pdf'],
    ['a narrow no-break space, as in macOS screenshots', 'Shot 9.41.00\u202fAM.pdf', 'Shot 9.41.00 AM.pdf'],
    ['the other way round', 'a b.pdf', 'a\u00a0b.pdf'],
  ])('%s is offered', isOffered);

  it('can be probed as it is offered', async () => {
    const file = path.join(temporaryFolder(), 'a\u202fb.pdf');
    copyFileSync(fixture('report.pdf'), file);
    const hint = await hintFor(file.replace('\u202f', ' '));
    const offered = JSON.parse(/Did you mean ("(?:[^"\\]|\\.)*")/.exec(hint ?? '')?.[1] ?? '""');
    const { client } = await connect();
    expect((await call(client, 'probe', { path: offered })).isError).toBe(false);
  });
});

// The file systems of macOS find such a name by themselves, those of Windows one in another letter case.
describe.skipIf(process.platform !== 'linux')('a name that nearly matches', () => {
  it.each([
    ['Unicode form: composed for decomposed', 'u\u0308ber.pdf', '\u00fcber.pdf'],
    ['Unicode form: decomposed for composed', '\u00fcber.pdf', 'u\u0308ber.pdf'],
    ['letter case', 'Report.PDF', 'report.pdf'],
    ['letter case beyond ASCII', 'ÜBER.pdf', 'über.pdf'],
    ['all at once', 'U\u0308ber\u202funs.pdf', '\u00fcber uns.PDF'],
  ])('by %s is offered', isOffered);

  it('is not offered when two do, or none does', async () => {
    const folder = temporaryFolder();
    writeFile(path.join(folder, 'A.pdf'), '');
    writeFile(path.join(folder, 'a.PDF'), '');
    writeFile(path.join(folder, 'bb.pdf'), '');
    for (const name of ['a.pdf', 'b.pdf', 'c.pdf'])
      expect(await hintFor(path.join(folder, name))).not.toContain('Did you mean');
  });

  it('is not looked for beyond 5,000 names', async () => {
    const folder = temporaryFolder();
    const present = writeFile(path.join(folder, 'Wanted.pdf'), '');
    const look = () => nearlyMatching(path.join(folder, 'wanted.pdf'), { ...LIMITS, ms: Number.POSITIVE_INFINITY });
    for (let names = 1; names < 4999; names += 1) writeFile(path.join(folder, `${names}.pdf`), '');
    expect(await look()).toBe(present);
    writeFile(path.join(folder, 'one more.pdf'), '');
    expect(await look()).toBeUndefined();
  });

  it('is not looked for beyond 50 ms, but in what was read by then', async () => {
    expect(LIMITS.ms).toBe(50);
    const folder = temporaryFolder();
    const present = writeFile(path.join(folder, 'Wanted.pdf'), '');
    const look = (ms: number) => nearlyMatching(path.join(folder, 'wanted.pdf'), { ...LIMITS, ms });
    expect(await look(-1)).toBe(present);
    // No longer read in one piece.
    for (let names = 1; names < 300; names += 1) writeFile(path.join(folder, `${names}.pdf`), '');
    expect(await look(-1)).toBeUndefined();
    expect(await look(Number.POSITIVE_INFINITY)).toBe(present);
  });

  it('is offered under roots only where the roots allow it', async () => {
    const folder = temporaryFolder();
    const root = path.join(folder, 'root');
    mkdirSync(root);
    writeFile(path.join(folder, 'secret.pdf'), '');
    symlinkSync('../secret.pdf', path.join(root, 'Secret.pdf'));
    const inside = writeFile(path.join(root, 'Open.pdf'), '');
    expect(await hintFor(path.join(root, 'open.pdf'), [root])).toContain(offer(inside));
    expect(await hintFor(path.join(root, 'secret.pdf'), [root])).not.toContain('Did you mean');
  });

  // By dangling links, and a name that is not UTF-8.
  it.skipIf(process.platform === 'win32')('is never the very path that was asked for', async () => {
    const folder = temporaryFolder();
    const dangling = path.join(folder, 'dangling.pdf');
    symlinkSync('nowhere', dangling);
    expect(await hintFor(dangling)).not.toContain('Did you mean');
    // Nor one that leads nowhere itself.
    expect(await hintFor(path.join(folder, 'Dangling.PDF'))).not.toContain('Did you mean');
    expect(await hintFor(path.join(folder, 'Dangling.PDF'), [folder])).not.toContain('Did you mean');
    // A name that is not UTF-8 reads as one with U+FFFD in it, by which it cannot be opened.
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/a`), Buffer.from([0xff]), Buffer.from('.pdf')]), '');
    for (const name of ['a\uFFFD.pdf', 'A\uFFFD.PDF'])
      expect(await hintFor(path.join(folder, name))).not.toContain('Did you mean');
  });

  it('is offered in a batch, beside the entry', async () => {
    const file = writeFile(path.join(temporaryFolder(), 'Report.pdf'), '');
    const { client } = await connect();
    const { value } = await call(client, 'probe_batch', {
      paths: [file.toLowerCase().replace(/.*\//, `${path.dirname(file)}/`)],
    });
    expect(value.reports).toMatchObject([{ hint: expect.stringContaining(offer(file)) }]);
  });
});

describe('other hints for a missing file', () => {
  it('a relative path names the folder that it was resolved against', async () => {
    const folder = temporaryFolder();
    const server = startBin([], {}, { cwd: folder });
    await initialize(server);
    sendProbe(server, 1, 'docs/report.pdf');
    const { result } = (await server.answer(1)) as { result: { content: [{ text: string }] } };
    expect(result.content[0].text).toContain(
      JSON.stringify(JSON.stringify(path.join(folder, 'docs/report.pdf'))).slice(1, -1),
    );
    expect(result.content[0].text).toContain("server's working directory");
    expect(result.content[0].text).toMatch(/\nHint: Give an absolute path/);
  });

  it.each(['https://example.org/a.pdf', 'http://x/y.docx', 's3://bucket/a.pdf'])(
    '%s is told to be no local file',
    async (url) => {
      expect(await hintFor(url)).toContain('Only local files');
    },
  );

  it.each(['deck.key', 'sheet.numbers', 'letter.pages'])(
    'an iWork document that is a folder, %s, is told as such',
    async (name) => {
      const folder = path.join(temporaryFolder(), name);
      mkdirSync(folder);
      const { client } = await connect();
      for (const requested of [folder, `${folder}/`]) {
        const { code, hint } = await call(client, 'probe', { path: requested });
        expect(code).toBe('INVALID_REQUEST');
        expect(hint).toContain('iWork document saved as a folder');
      }
    },
  );
});
