import { describe, expect, it } from 'vitest';
import { emptyFiles, jsonlEngine } from '../helpers/batches.js';
import { connect } from '../helpers/clients.js';
import { fakeEngine } from '../helpers/engines.js';

describe('the progress of a batch', () => {
  it('rises to the total, counts refused paths, and comes before the answer', async () => {
    // Slow enough for several notifications at their interval.
    const { client } = await connect({ bin: jsonlEngine('sleep 0.06').bin });
    const paths = ['/gone.pdf', ...emptyFiles('a.pdf', 'b.pdf', 'c.pdf', 'd.pdf', 'e.pdf', 'f.pdf'), '/gone.pdf'];
    const told: { progress: number; total?: number | undefined; at: number }[] = [];
    await client.callTool(
      { name: 'probe_batch', arguments: { paths } },
      { onprogress: ({ progress, total }) => told.push({ progress, total, at: performance.now() }) },
    );
    const counts = told.map(({ progress }) => progress);
    expect(counts.length).toBeGreaterThan(2);
    expect(counts.length).toBeLessThan(paths.length);
    expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b));
    expect(counts[0]).toBeGreaterThan(0);
    expect(told.at(-1)).toMatchObject({ progress: paths.length, total: paths.length });
    expect(told.every(({ total }) => total === paths.length)).toBe(true);
  });

  it('reaches the total when every path is refused, and when the deadline passes', async () => {
    const { client } = await connect({ bin: fakeEngine('exec sleep 600').bin, timeoutMs: 200 });
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
