import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialize, type Server, sendCall, sendProbe, startBin } from '../helpers/bin.js';
import { entryOutcomes } from '../helpers/clients.js';
import { type Json, playedEngine } from '../helpers/engines.js';
import { canLink, fixture, temporaryFolder } from '../helpers/files.js';

/** A document outside every root. */
const PROBED_OUTSIDE = fixture('deck.pptx');

interface Scene {
  readonly server: Server;
  readonly root: string;
  /** A document inside the root, and one outside it. */
  readonly inside: string;
  readonly outside: string;
  readonly starts: () => string[];
  /** Lets the call that holds the only slot go on. */
  readonly open: () => void;
}

/** A server with one slot, which a call holds until it is let go. */
async function scene(): Promise<Scene> {
  const folder = temporaryFolder();
  const root = path.join(folder, 'root');
  mkdirSync(root);
  const [inside, outside, hold, gate] = ['root/a.pptx', 'secret.pptx', 'root/hold.pptx', 'gate'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string, string];
  for (const file of [inside, outside, hold]) copyFileSync(fixture('deck.pptx'), file);
  const fake = playedEngine(`
    if (args.join().includes('hold')) while (!fs.existsSync(${JSON.stringify(gate)})) sleep(10);
    becomeEngine();`);
  const server = startBin([], {
    DECKPROBE_MCP_BIN: fake.bin,
    DECKPROBE_MCP_ROOTS: root,
    DECKPROBE_MCP_MAX_CONCURRENCY: '1',
  });
  await initialize(server);
  sendProbe(server, 1, hold);
  const starts = () => fake.starts().map(({ args }) => args);
  await expect.poll(() => starts().some((args) => args.includes('hold'))).toBe(true);
  return { server, root, inside, outside, starts, open: () => writeFileSync(gate, '') };
}

/** Settles when looks that were begun before have had their turn: these are taken in order. */
async function pathsChecked(server: Server, id: number): Promise<void> {
  for (const each of [id, id + 1]) {
    sendProbe(server, each, PROBED_OUTSIDE);
    expect(await codeOf(server, each)).toBe('MCP_PATH_NOT_ALLOWED');
  }
}

async function codeOf(server: Server, id: number): Promise<string> {
  const { result } = (await server.answer(id)) as { result: { structuredContent: Json } };
  const { status, error } = result.structuredContent as { status: string; error?: { code: string } };
  return error?.code ?? status;
}

const LINKS: [string, typeof symlinkOver, string][] = canLink
  ? [['a link to a file outside', symlinkOver, 'MCP_PATH_NOT_ALLOWED']]
  : [];

function symlinkOver(inside: string, outside: string): void {
  symlinkSync(outside, inside);
}

describe('a file that is replaced while its call waits for a slot', () => {
  it.each<[string, (inside: string, outside: string) => void, string]>([
    ...LINKS,
    ['nothing', () => {}, 'MCP_PATH_NOT_FOUND'],
    ['another file', (inside) => copyFileSync(fixture('letter.docx'), inside), 'MALFORMED_INPUT'],
  ])('by %s is judged anew', async (_, replace, code) => {
    const { server, inside, outside, starts, open } = await scene();
    sendProbe(server, 2, inside);
    await pathsChecked(server, 10);
    rmSync(inside);
    replace(inside, outside);
    open();
    expect(await codeOf(server, 2)).toBe(code);
    expect(starts().filter((args) => args.includes('secret'))).toEqual([]);
  });

  it.runIf(canLink)('is judged anew with its whole folder', async () => {
    const { server, root, outside, open } = await scene();
    const folder = path.join(root, 'sub');
    mkdirSync(folder);
    copyFileSync(fixture('deck.pptx'), path.join(folder, path.basename(outside)));
    sendProbe(server, 2, path.join(folder, path.basename(outside)));
    await pathsChecked(server, 10);
    rmSync(folder, { recursive: true });
    symlinkSync(path.dirname(outside), folder);
    open();
    expect(await codeOf(server, 2)).toBe('MCP_PATH_NOT_ALLOWED');
  });

  it.runIf(canLink)('is judged anew in a batch, with all the others', async () => {
    const { server, root, inside, outside, open } = await scene();
    const other = path.join(root, 'b.pptx');
    copyFileSync(fixture('deck.pptx'), other);
    sendCall(server, 2, 'probe_batch', { paths: [other, inside, PROBED_OUTSIDE, other, inside] });
    await pathsChecked(server, 10);
    rmSync(inside);
    symlinkSync(outside, inside);
    open();
    const { result } = (await server.answer(2)) as { result: { structuredContent: Json } };
    const refused = 'MCP_PATH_NOT_ALLOWED';
    expect(entryOutcomes(result.structuredContent)).toEqual(['ok', refused, refused, 'ok', refused]);
  });

  it.runIf(canLink)('is judged anew before the process that goes on after a crash', async () => {
    const folder = temporaryFolder();
    const root = path.join(folder, 'root');
    mkdirSync(root);
    const names = ['crash.pptx', 'a.pptx', 'b.pptx'].map((name) => path.join(root, name));
    for (const file of names) copyFileSync(fixture('deck.pptx'), file);
    const secret = path.join(folder, 'secret.pptx');
    copyFileSync(fixture('deck.pptx'), secret);
    // The first process swaps a file and crashes.
    const fake = playedEngine(`
      const [CRASHED, SWAPPED, SECRET] = ${JSON.stringify([path.join(folder, 'crashed'), names[1], secret])};
      if (!fs.existsSync(CRASHED)) {
        fs.writeFileSync(CRASHED, '');
        fs.rmSync(SWAPPED);
        fs.symlinkSync(SECRET, SWAPPED);
        crash();
      }
      becomeEngine();`);
    const server = startBin([], { DECKPROBE_MCP_BIN: fake.bin, DECKPROBE_MCP_ROOTS: root });
    await initialize(server);
    sendCall(server, 1, 'probe_batch', { paths: names });
    const { result } = (await server.answer(1)) as { result: { structuredContent: Json } };
    expect(entryOutcomes(result.structuredContent)).toEqual(['MCP_ENGINE_FAILURE', 'MCP_PATH_NOT_ALLOWED', 'ok']);
  });
});
