import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hintFor } from '../../src/hints.js';
import { call, connect } from '../helpers/clients.js';
import { askEngine, type Json } from '../helpers/engines.js';
import { fixture, temporaryFolder, writeFile } from '../helpers/files.js';

/** Every extension that the engine reads. */
const EXTENSIONS =
  'pdf docx docm dotx dotm xlsx xlsm xltx xltm xlsb pptx pptm ppsx ppsm potx potm key numbers pages doc xls ppt'.split(
    ' ',
  );
const REFUSED = ['docm', 'dotm', 'xlsm', 'xltm', 'xlsb', 'pptm', 'ppsm', 'potm'];
/** One document of each kind of content. */
const CONTENTS: Record<string, string> = {
  pdf: 'report.pdf',
  docx: 'letter.docx',
  xlsx: 'workbook.xlsx',
  pptx: 'deck.pptx',
  key: 'talk.key',
  numbers: 'table.numbers',
  pages: 'paper.pages',
  docm: 'macros.docm',
  xlsb: 'binary.xlsb',
  xls: 'legacy.xls',
  doc: 'encrypted.doc',
  ppt: 'macros.ppt',
  encrypted: 'encrypted.xlsx',
  'embedded document': 'gaps/embedded-word.xls',
};
/** What a hint says of old and encrypted Office content, which the engine's words name. */
const NAMED: Record<string, string> = {
  xls: 'seems to be an old Excel workbook',
  doc: 'seems to be an old Word document',
  ppt: 'seems to be an old PowerPoint presentation',
  encrypted: 'seems to be an encrypted Office document',
};

async function probe(file: string): Promise<{ code: string | undefined; hint: string }> {
  const { client } = await connect();
  const { code, hint = '' } = await call(client, 'probe', { path: file });
  return { code, hint };
}

function answersHeader(file: string): boolean {
  return askEngine(['--targets=@header', '--', file]).value.status !== 'error';
}

describe('the hint of MALFORMED_INPUT', () => {
  it.each(Object.entries(CONTENTS))('knows what it can for %s content under every extension', async (kind, name) => {
    const folder = temporaryFolder();
    const { client } = await connect();
    const paths = EXTENSIONS.map((extension) => path.join(folder, `x.${extension}`));
    for (const file of paths) copyFileSync(fixture(name), file);
    const { value } = await call(client, 'probe_batch', { paths });
    const entries = value.reports as { path: string; report: { error?: { code: string } & Json }; hint?: string }[];
    const refused = entries.filter(({ report }) => report.error?.code === 'MALFORMED_INPUT');
    // Most extensions are wrong for any content.
    expect(refused.length).toBeGreaterThanOrEqual(7);
    for (const { path: file, hint = '', report } of refused) {
      const extension = path.extname(file).slice(1);
      const seen = `${kind} as .${extension}: ${report.error?.message}: ${hint}`;
      if (String(report.error?.message).includes('suffix does not match CFB')) {
        if (kind !== 'embedded document') expect(hint, seen).toContain(NAMED[kind]);
        expect(hint, seen).toContain('seems');
        if (kind !== 'encrypted') expect(hint, seen).toContain('this does not mean that it is encrypted');
      } else if (REFUSED.includes(extension)) {
        expect(hint, seen).toContain(`refuses .${extension} files even when they are sound: there is nothing to retry`);
        expect(hint, seen).toContain('unknown whether the file holds macros');
      } else expect(hint, seen).toContain('extension');
      // The advice to retry is given only where a retry can help.
      expect(hint.includes('Retry with targets ["@header"]'), seen).toBe(answersHeader(file));
    }
  });

  it('tells the owner file of Office by its name', async () => {
    const folder = temporaryFolder();
    for (const extension of ['docx', 'xlsx', 'pptx', 'docm']) {
      const owner = writeFile(path.join(folder, `~$port.${extension}`), 'A'.repeat(162));
      expect(await probe(owner)).toEqual({
        code: 'MALFORMED_INPUT',
        hint: expect.stringMatching(/owner file that Office leaves beside an open document: probe the document itself/),
      });
    }
  });

  it.each(EXTENSIONS)('tells an empty .%s, alone and in a batch, with roots and without', async (extension) => {
    const folder = temporaryFolder();
    const empty = writeFile(path.join(folder, `empty.${extension}`), '');
    for (const roots of [undefined, [folder]]) {
      const { client } = await connect(roots ? { roots } : {});
      const alone = await call(client, 'probe', { path: empty });
      expect(alone.code).toBe('MALFORMED_INPUT');
      expect(alone.hint).toContain('The file is empty (0 bytes)');
      const { value } = await call(client, 'probe_batch', { paths: ['/gone.pdf', empty] });
      expect(value.reports).toMatchObject([{}, { hint: alone.hint }]);
    }
  });

  it('says of a workbook that embeds a document what it may be', async () => {
    const { hint } = await probe(fixture('gaps/embedded-word.xls'));
    expect(hint).toContain(
      'seems to be an old Word document, or a workbook that embeds one, which this engine refuses',
    );
  });

  it('says of a PDF with bytes before its header what may be so', async () => {
    expect((await probe(fixture('gaps/leading-bytes.pdf'))).hint).toContain('bytes stand before %PDF');
  });

  it('advises a retry for what is left', async () => {
    // Its cross-reference table is damaged: the engine can still tell what it is.
    expect(await probe(fixture('corrupt.pdf'))).toEqual({
      code: 'MALFORMED_INPUT',
      hint: expect.stringContaining('Retry with targets ["@header"]'),
    });
  });

  it.each([
    ['owner file before empty', { path: '~$a.docx', size: 0 }, 'x', 'owner file'],
    ['empty before named content', { path: 'a.docx', size: 0 }, 'suffix does not match CFB xls content', 'is empty'],
    ['named content before refused', { path: 'a.docm', size: 9 }, '.x suffix does not match CFB doc content', 'seems'],
    [
      'refused before the rest',
      { path: 'a.XLSM', size: 9 },
      'package main content type does not match .xlsm',
      'refuses .xlsm',
    ],
    ['a Windows path by its last part', { path: 'C:\\docs\\~$a.docx' }, 'x', 'owner file'],
    ['the rest', { path: 'a.docx' }, 'invalid ZIP/OPC container', '@header'],
  ])('%s', (_, context, message, words) => {
    expect(hintFor({ code: 'MALFORMED_INPUT', message, exit_code: 4 }, context)).toContain(words);
  });
});

describe('hints that know the system', () => {
  const denied = { code: 'SOURCE_IO', message: 'source I/O error: Operation not permitted (os error 1)', exit_code: 2 };

  it('SOURCE_IO on macOS names the privacy settings', () => {
    expect(hintFor(denied, { platform: 'darwin' })).toContain('Privacy & Security');
    expect(hintFor(denied, { platform: 'linux' })).toContain('check permissions');
    const missing = { ...denied, message: 'source I/O error: Permission denied (os error 13)' };
    expect(hintFor(missing, { platform: 'darwin' })).toContain('check permissions');
  });

  it('MCP_TIMEOUT speaks of files that are kept online only where the engine ran', () => {
    const timeout = (phase: string) =>
      hintFor({ code: 'MCP_TIMEOUT', message: `the call's limit of 1 ms ran out while ${phase}`, exit_code: 4 });
    expect(timeout('running the engine')).toContain('kept online only (OneDrive, iCloud) has to be downloaded first');
    expect(timeout('waiting for a free engine slot')).not.toContain('OneDrive');
  });
});
