import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, connect, entryOutcomes } from '../helpers/clients.js';
import { titledDocx } from '../helpers/documents.js';
import { askEngine, askEngineBatch, type Json } from '../helpers/engines.js';
import { fixture, temporaryFolder, writeFile } from '../helpers/files.js';
import { type Random, seeded } from '../helpers/random.js';

// MUTATION_RUNS and MUTATION_SEED take more of them, or others.
const runs = Number(process.env.MUTATION_RUNS ?? 400);
const seed = Number(process.env.MUTATION_SEED ?? 1);

/** A fixture with some of its bytes flipped, its end cut off, or a part of another one inside. */
function mutate(random: Random, sources: readonly Buffer[]): Buffer {
  const bytes = Buffer.from(random.pick(sources));
  switch (random.below(4)) {
    case 0:
      return bytes.subarray(0, random.below(bytes.length + 1));
    case 1: {
      const other = random.pick(sources);
      const from = random.below(other.length);
      const piece = other.subarray(from, from + random.below(256));
      const at = random.below(bytes.length);
      return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + random.below(256))]);
    }
    default:
      for (let flips = 1 + random.below(16); flips > 0; flips -= 1) {
        const at = random.below(bytes.length);
        bytes[at] = random.chance(0.5) ? random.below(256) : (bytes[at] ?? 0) ^ (1 << random.below(8));
      }
      return bytes;
  }
}

describe('damaged documents', () => {
  it(`${runs} of them: each answer is the engine's own, a report or an envelope`, { timeout: 600_000 }, async () => {
    const random = seeded(seed);
    const isFile = (name: string) => statSync(fixture(name)).isFile();
    const names = readdirSync(fixture('.'), { recursive: true, encoding: 'utf8' }).filter(isFile);
    const sources = names.map((name) => readFileSync(fixture(name)));
    const extensions = names.map((name) => path.extname(name));
    const folder = temporaryFolder();
    const files = Array.from({ length: runs }, (_, index) =>
      writeFile(path.join(folder, `${index}${random.pick(extensions)}`), mutate(random, sources)),
    );
    const flags = ['--targets=@all', '--probe-level=deep'];
    const own = askEngineBatch(
      flags,
      files.map((file) => ({ path: file })),
    );
    const { client } = await connect({ maxBatch: 1000, timeoutMs: 600_000 });
    const options = { targets: ['@all'], level: 'deep', view: 'report' };
    const singles = await Promise.all(files.map((file) => call(client, 'probe', { path: file, ...options })));
    const kinds = new Set<string>();
    for (const [index, { value, isError }] of singles.entries()) {
      // An error line of a batch names its path; a single answer does not.
      const { input, ...rest } = own[index] as Json;
      const expected = rest.status === 'error' ? rest : own[index];
      expect(value, `seed ${seed}, ${files[index]}`).toEqual(expected);
      expect(isError).toBe(value.status === 'error');
      kinds.add(String(value.status));
    }
    // Else the mutations would not have touched what they are for.
    expect([...kinds]).toEqual(expect.arrayContaining(['error', 'partial']));
    for (let from = 0; from < files.length; from += 50) {
      const paths = files.slice(from, from + 50);
      const { value } = await call(client, 'probe_batch', { paths, ...options });
      const reports = (value.reports as { report: Json }[]).map(({ report }) => report);
      expect(reports).toEqual(own.slice(from, from + 50));
    }
  });
});

describe('documents made to swell', () => {
  it('a title of a million quotes is too large to answer, alone and in a batch', async () => {
    const swollen = titledDocx('"'.repeat(1_000_000));
    const { client } = await connect();
    const single = await call(client, 'probe', { path: swollen });
    expect([single.isError, single.code]).toEqual([true, 'MCP_OUTPUT_LIMIT']);
    const batch = await call(client, 'probe_batch', { paths: [swollen, fixture('letter.docx'), swollen] });
    expect(entryOutcomes(batch.value)).toEqual(['MCP_OUTPUT_LIMIT', 'ok', 'MCP_OUTPUT_LIMIT']);
    const narrow = await call(client, 'probe', { path: swollen, targets: ['word.page_count'], view: 'values' });
    expect(narrow.value).toMatchObject({ values: { 'word.page_count': 1 } });
  });

  it.each([
    ['quotes', '"'.repeat(100_000)],
    ['backslashes', '\\'.repeat(100_000)],
    ['control characters', '&#x1;\t\n'.repeat(20_000)],
    ['three-byte characters', '漢'.repeat(100_000)],
    ['four-byte characters', '😀'.repeat(50_000)],
  ])('a title of many %s is answered whole or refused, never too large', async (_, title) => {
    const file = titledDocx(title);
    const { client } = await connect();
    for (const view of ['report', 'values']) {
      const answer = await call(client, 'probe', { path: file, view });
      const sent = JSON.stringify({ content: [{ type: 'text', text: answer.text }], structuredContent: answer.value });
      expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(1_000_000);
      if (answer.isError) continue;
      const flags = view === 'values' ? ['--view=values'] : [];
      expect(answer.value).toEqual(askEngine([...flags, '--', file]).value);
      expect(JSON.parse(answer.text)).toEqual(answer.value);
    }
  });
});
