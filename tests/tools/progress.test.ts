import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFiles, jsonlEngine } from '../helpers/batches.js';
import { connect } from '../helpers/clients.js';
import { playedEngine } from '../helpers/engines.js';
import { temporaryFolder, writeFile } from '../helpers/files.js';

describe('the progress of a batch', () => {
  it('rises to the total, counts refused paths, and comes before the answer', async () => {
    // The nth slow record waits for the nth notification and lets the interval pass, so that one more is due after it.
    const seen = writeFile(path.join(temporaryFolder(), 'seen'), '');
    const slow = `globalThis.n = (globalThis.n ?? 0) + 1; while (fs.readFileSync(${JSON.stringify(seen)}).length < n) sleep(10); sleep(150);`;
    const { client } = await connect({ bin: jsonlEngine(`if (record.includes('slow')) { ${slow} }`).bin });
    const quick = Array.from({ length: 20 }, (_, index) => `${index}.pdf`);
    const files = emptyFiles('slow1.pdf', ...quick, 'slow2.pdf', ...quick, 'slow3.pdf');
    const paths = ['/gone.pdf', ...files, '/gone.pdf'];
    const told: { progress: number; total?: number | undefined }[] = [];
    const started = performance.now();
    await client.callTool(
      { name: 'probe_batch', arguments: { paths } },
      {
        onprogress: ({ progress, total }) => {
          told.push({ progress, total });
          appendFileSync(seen, '\n');
        },
      },
    );
    const counts = told.map(({ progress }) => progress);
    expect(counts.length).toBeGreaterThan(3);
    // One at once, then ten a second, and the last one whenever it is due.
    expect(counts.length).toBeLessThanOrEqual((performance.now() - started) / 100 + 2);
    expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b));
    expect(counts[0]).toBeGreaterThan(0);
    expect(told.at(-1)).toMatchObject({ progress: paths.length, total: paths.length });
    expect(told.every(({ total }) => total === paths.length)).toBe(true);
  });

  it('reaches the total when every path is refused, and when the deadline passes', async () => {
    const { client } = await connect({ bin: playedEngine('hang()').bin, timeoutMs: 200 });
    for (const paths of [['/gone.pdf', '/gone.pdf'], emptyFiles('a.pdf', 'b.pdf')]) {
      const told: number[] = [];
      await client.callTool(
        { name: 'probe_batch', arguments: { paths } },
        { onprogress: (p) => told.push(p.progress) },
      );
      expect(told.at(-1)).toBe(paths.length);
    }
  });
});
