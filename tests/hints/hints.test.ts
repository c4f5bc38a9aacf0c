import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, connect } from '../helpers/clients.js';
import { paddedDocx } from '../helpers/documents.js';
import type { Json } from '../helpers/engines.js';
import { fixture, temporaryFolder, writeFile } from '../helpers/files.js';

describe('hints', () => {
  it.each<[string, Json, string, RegExp]>([
    ['deck.pptx', { targets: ['nope'] }, 'UNSUPPORTED_TARGET', /list_targets {"format":"pptx"}/],
    ['legacy.xls', { targets: ['nope'] }, 'UNSUPPORTED_TARGET', /list_targets {"format":"xls"}/],
    [
      'letter.docx',
      { targets: ['word.page_count'], min_confidence: 'exact' },
      'UNSUPPORTED_TARGET',
      /min_confidence out/,
    ],
    ['deck.pptx', { budget: { max_archive_entries: 1 } }, 'BUDGET_EXCEEDED', /Your budget\.max_archive_entries was 1/],
    ['deck.pptx', { budget: { max_expanded_bytes: 1 } }, 'BUDGET_EXCEEDED', /Your budget\.max_expanded_bytes was 1/],
    ['deck.pptx', { budget: { max_physical_bytes: 1 } }, 'BUDGET_EXCEEDED', /Your budget\.max_physical_bytes was 1/],
    ['report.pdf', { budget: { max_physical_bytes: 1 } }, 'BUDGET_EXCEEDED', /Your budget\.max_physical_bytes was 1/],
    ['corrupt.pdf', {}, 'MALFORMED_INPUT', /Not proof of damage/],
    ['.', {}, 'INVALID_REQUEST', /one regular file, not a folder/],
    ['deck.pptx', { targets: [''] }, 'INVALID_REQUEST', /Name at least one target/],
    ['deck.pptx', { target_confidence: { slide_size: 'low' }, targets: ['@header'] }, 'INVALID_REQUEST', /to targets/],
    ['deck.pptx', { target_confidence: { 'a=b': 'low' } }, 'INVALID_REQUEST', /Correct target_confidence/],
  ])('%s with %j: %s says %s', async (name, args, code, hint) => {
    const { client } = await connect();
    const answer = await call(client, 'probe', { path: fixture(name), ...args });
    expect(answer.code).toBe(code);
    expect(answer.hint).toMatch(hint);
  });

  it('BUDGET_EXCEEDED names the level first and then the field', async () => {
    const { client } = await connect();
    const big = paddedDocx(9 * 1024 * 1024);
    const first = await call(client, 'probe', { path: big });
    expect(first.code).toBe('BUDGET_EXCEEDED');
    expect(first.hint).toMatch(/^Retry with level "deep".*raise budget\.max_expanded_bytes/);
  });

  it('UNSUPPORTED_FORMAT names list_formats', async () => {
    const { client } = await connect();
    const text = writeFile(path.join(temporaryFolder(), 'a.tsv'), 'x');
    expect(await call(client, 'probe', { path: text })).toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      hint: expect.stringContaining('list_formats'),
    });
  });
});
