import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { codes, emptyFiles, entries, jsonlEngine } from '../helpers/batches.js';
import { call, connect, type ToolAnswer } from '../helpers/clients.js';
import { playedEngine, TINY_REPORT } from '../helpers/engines.js';
import { fixture, temporaryFolder, writeFile } from '../helpers/files.js';

describe('the size of a batch', () => {
  const report = (bytes: number) => JSON.stringify({ ...JSON.parse(TINY_REPORT), t: 'x'.repeat(bytes) });
  const quotes = (count: number) => JSON.stringify({ ...JSON.parse(TINY_REPORT), t: '"'.repeat(count) });
  /** An engine that answers a record with the file of the same base name. */
  function answering(answers: Record<string, string>) {
    const folder = temporaryFolder();
    for (const [name, text] of Object.entries(answers)) writeFile(path.join(folder, name), `${text}\n`);
    return playedEngine(`
      for (const record of records()) {
        const [name] = require('node:path').basename(JSON.parse(record).path).split('.');
        fs.writeSync(1, fs.readFileSync(${JSON.stringify(`${folder}/`)} + name));
      }`);
  }
  /** What a client really receives. */
  const sizeOf = (answer: ToolAnswer) =>
    Buffer.byteLength(
      JSON.stringify({ content: [{ type: 'text', text: answer.text }], structuredContent: answer.value }),
    );

  it('lets 64 default reports of real documents pass', async () => {
    const { client } = await connect();
    const paths = Array.from({ length: 64 }, () => fixture('deck.pptx'));
    const answer = await call(client, 'probe_batch', { paths, view: 'report' });
    expect(codes(answer)).toEqual(paths.map(() => 'ok'));
  });

  it('replaces what does not fit, and lets smaller ones after it pass', async () => {
    const fake = answering({ small: report(10), half: report(200_000), swollen: quotes(1_000_000) });
    const { client } = await connect({ bin: fake.bin });
    const names = ['small', 'swollen', 'half', 'half', 'half', 'small', 'swollen'];
    const answer = await call(client, 'probe_batch', { paths: emptyFiles(...names.map((name) => `${name}.pdf`)) });
    expect(codes(answer)).toEqual(['ok', 'MCP_OUTPUT_LIMIT', 'ok', 'ok', 'MCP_OUTPUT_LIMIT', 'ok', 'MCP_OUTPUT_LIMIT']);
    expect(answer.isError).toBe(false);
    expect(entries(answer)[1]?.report.error?.message).toMatch(/takes \d{7} bytes/);
    expect(entries(answer)[1]?.hint).toContain('fewer targets');
    expect(sizeOf(answer)).toBeLessThanOrEqual(1_000_000);
  });

  it('stays within the limit when everything is replaced, and fills it well', async () => {
    const fake = answering({ swollen: quotes(1_000_000), filling: report(30_000) });
    const { client } = await connect({ bin: fake.bin, maxBatch: 1000 });
    const swollen = await call(client, 'probe_batch', {
      paths: Array.from({ length: 64 }, () => emptyFiles('swollen.pdf')[0] ?? ''),
    });
    expect(new Set(codes(swollen))).toEqual(new Set(['MCP_OUTPUT_LIMIT']));
    expect(sizeOf(swollen)).toBeLessThanOrEqual(1_000_000);
    const filling = await call(client, 'probe_batch', {
      paths: Array.from({ length: 64 }, () => emptyFiles('filling.pdf')[0] ?? ''),
    });
    expect(codes(filling).filter((code) => code === 'ok').length).toBeGreaterThan(12);
    expect(sizeOf(filling)).toBeLessThanOrEqual(1_000_000);
  });

  it('stops an engine at a line that never ends, which costs its own entry', async () => {
    const fake = jsonlEngine(`if (record.includes('flood')) for (;;) fs.writeSync(1, '0'.repeat(65536));`);
    const { client } = await connect({ bin: fake.bin });
    const answer = await call(client, 'probe_batch', { paths: emptyFiles('a.pdf', 'flood.pdf', 'b.pdf') });
    expect(codes(answer)).toEqual(['ok', 'MCP_ENGINE_FAILURE', 'ok']);
    expect(entries(answer)[1]?.report.error?.message).toContain('more than 16 MiB');
  });
});
