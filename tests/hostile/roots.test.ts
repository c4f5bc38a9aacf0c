import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { call, connect, type Session } from '../helpers/clients.js';
import { askEngine, ENGINE, type Json, playedEngine } from '../helpers/engines.js';
import { canLink, fixture, temporaryFolder } from '../helpers/files.js';

interface Tree {
  /** The allowed folder, and a folder beside it that is not. */
  readonly root: string;
  readonly outside: string;
  readonly session: Session;
}

/** A root with a document, a document outside, and a server that keeps to the root. */
async function tree(roots: (folder: string) => string[] = (folder) => [path.join(folder, 'root')]): Promise<Tree> {
  const folder = temporaryFolder();
  const root = path.join(folder, 'root');
  const outside = path.join(folder, 'outside');
  for (const each of [root, outside, path.join(root, 'sub')]) mkdirSync(each);
  copyFileSync(fixture('deck.pptx'), path.join(root, 'deck.pptx'));
  copyFileSync(fixture('deck.pptx'), path.join(outside, 'deck.pptx'));
  return { root, outside, session: await connect({ roots: roots(folder) }) };
}

function link(target: string, at: string): string {
  symlinkSync(target, at);
  return at;
}

/** Refused paths: each row makes two requests, for a file that exists and for one that does not. */
const REFUSED: [string, (tree: Tree, name: string) => string][] = [
  ['a path outside', ({ outside }, name) => path.join(outside, name)],
  [
    "a sibling that begins with the root's name",
    ({ root }, name) => {
      mkdirSync(`${root}-2`, { recursive: true });
      writeFileSync(path.join(`${root}-2`, 'deck.pptx'), '');
      return path.join(`${root}-2`, name);
    },
  ],
  ['.. at the end of the root', ({ root }, name) => `${root}/../outside/${name}`],
  ['.. below the root', ({ root }, name) => `${root}/sub/../../outside/${name}`],
  ['.. in the middle', ({ root }, name) => `${root}/sub/./.././../outside/./${name}`],
  ['.. through a folder that does not exist', ({ root }, name) => `${root}/none/../../outside/${name}`],
  ['a link out', ({ root, outside }, name) => link(path.join(outside, name), path.join(root, `link-${name}`))],
  ['a relative link out', ({ root }, name) => link(`../outside/${name}`, path.join(root, `relative-${name}`))],
  [
    'a chain of links',
    ({ root, outside }, name) => {
      link(path.join(outside, name), path.join(root, `c3-${name}`));
      link(`c3-${name}`, path.join(root, `c2-${name}`));
      return link(path.join(root, `c2-${name}`), path.join(root, `c1-${name}`));
    },
  ],
  ...[41, 80, 200, 300].map((links): [string, (tree: Tree, name: string) => string] => [
    // The system follows 40: the whole chain leads nowhere, but the links at its end lead out.
    `a chain of ${links} links`,
    ({ root, outside }, name) => {
      link(path.join(outside, name), path.join(root, `m1-${name}`));
      for (let at = 2; at <= links; at += 1) link(`m${at - 1}-${name}`, path.join(root, `m${at}-${name}`));
      return path.join(root, `m${links}-${name}`);
    },
  ]),
  [
    'a chain that leaves and comes back to a link out',
    ({ root, outside }, name) => {
      link(path.join(outside, name), path.join(outside, `hop-${name}`));
      return link(path.join(outside, `hop-${name}`), path.join(root, `hop-${name}`));
    },
  ],
  ['a linked folder', ({ root, outside }, name) => path.join(link(outside, path.join(root, `dir-${name}`)), name)],
  [
    'a path below a link out that does not exist',
    ({ root, outside }, name) => path.join(link(path.join(outside, 'none'), path.join(root, `no-${name}`)), 'a', name),
  ],
  [
    'a link to a link in a linked folder',
    ({ root, outside }, name) => {
      link(outside, path.join(root, `d-${name}`));
      return link(`d-${name}/${name}`, path.join(root, `l-${name}`));
    },
  ],
  ...(['relative', 'absolute'] as const).map((kind): [string, (tree: Tree, name: string) => string] => [
    `a ${kind} link whose target climbs out of a linked folder`,
    ({ root, outside }, name) => {
      // By its text the target is in the root: what `..` means shows only where the link before it has led.
      mkdirSync(path.join(outside, 'deep'), { recursive: true });
      link(path.join(outside, 'deep'), path.join(root, `a-${name}`));
      const target = `a-${name}/../${name}`;
      return link(kind === 'relative' ? target : `${root}/${target}`, path.join(root, `out-${name}`));
    },
  ]),
  [
    'a link that climbs out through two linked folders',
    ({ root, outside }, name) => {
      mkdirSync(path.join(outside, 'deep', 'er'), { recursive: true });
      link(path.join(outside, 'deep'), path.join(root, `b-${name}`));
      link(`b-${name}/er/..`, path.join(root, `c-${name}`));
      return link(`c-${name}/../${name}`, path.join(root, `two-${name}`));
    },
  ],
  ['a file URL', ({ outside }, name) => pathToFileURL(path.join(outside, name)).href],
  ['a file URL with encoded dots', ({ root }, name) => `${pathToFileURL(root).href}/%2E%2E/outside/${name}`],
  ['a relative path', ({ outside }, name) => path.relative(process.cwd(), path.join(outside, name))],
  ['the home directory', (_, name) => `~/${name}`],
  ["the root's parent", ({ root }) => path.dirname(root)],
  ['the root of the file system', () => '/'],
];

/** The rows that make symbolic links, which not every Windows lets a user do, and those that make none. */
function byLinks<Row extends [string, ...unknown[]]>(rows: readonly Row[]): { linked: Row[]; plain: Row[] } {
  const isLinked = ([name]: Row) => /\b(link|linked|chain)\b/.test(name);
  return { linked: rows.filter(isLinked), plain: rows.filter((row) => !isLinked(row)) };
}

describe('outside the roots', () => {
  const { linked, plain } = byLinks(REFUSED);
  const isRefused = async (_: string, request: (tree: Tree, name: string) => string) => {
    const here = await tree();
    const { client } = here.session;
    const answers = [];
    for (const name of ['deck.pptx', 'gone.pptx']) {
      const requested = request(here, name);
      const { value, isError, hint } = await call(client, 'probe', { path: requested });
      expect(value.error, requested).toMatchObject({ code: 'MCP_PATH_NOT_ALLOWED', exit_code: 2 });
      expect(value.input).toEqual({ path: requested });
      expect(isError).toBe(true);
      expect(hint).toContain(JSON.stringify(here.root));
      answers.push(JSON.stringify([value.error, hint]).replaceAll('gone.pptx', 'deck.pptx'));
      const batch = await call(client, 'probe_batch', { paths: [requested, path.join(here.root, 'deck.pptx')] });
      expect((batch.value.reports as Json[]).map(({ report }) => (report as Json).status)).toEqual(['error', 'ok']);
    }
    expect(answers[0]).toBe(answers[1]);
  };
  it.each(plain)('%s is refused, in the same words whether or not it exists', isRefused);
  it.runIf(canLink).each(linked)('%s is refused, in the same words whether or not it exists', isRefused);

  it('nothing reaches the engine', async () => {
    const fake = playedEngine(`print('{}')`);
    const root = temporaryFolder();
    const { client } = await connect({ roots: [root], bin: fake.bin });
    await call(client, 'probe', { path: fixture('deck.pptx') });
    await call(client, 'probe_batch', { paths: [fixture('deck.pptx'), '/etc/passwd'] });
    expect(fake.starts()).toEqual([]);
  });

  it('a refusal lists eight roots at the most', async () => {
    const folder = temporaryFolder();
    const roots = Array.from({ length: 10 }, (_, index) => path.join(folder, `r${index}`));
    for (const root of roots) mkdirSync(root);
    const { client } = await connect({ roots });
    const { hint } = await call(client, 'probe', { path: '/etc/hosts' });
    expect(roots.filter((root) => hint?.includes(JSON.stringify(root)))).toEqual(roots.slice(0, 8));
    expect(hint).toContain('and 2 more');
  });
});

/** Paths that must work: what to ask for, and what the engine itself is to be asked to compare. */
const ALLOWED: [string, (tree: Tree) => string][] = [
  ['a document', ({ root }) => path.join(root, 'deck.pptx')],
  ['sub/../file', ({ root }) => `${root}/sub/../deck.pptx`],
  ['none/../file', ({ root }) => `${root}/none/../deck.pptx`],
  ['a relative path', ({ root }) => path.relative(process.cwd(), path.join(root, 'deck.pptx'))],
  ['a file URL', ({ root }) => pathToFileURL(path.join(root, 'deck.pptx')).href],
  ['a link inside', ({ root }) => link('../deck.pptx', path.join(root, 'sub', 'deck.pptx'))],
  [
    'a path through a link outside to the root',
    ({ root, outside }) => path.join(link(root, path.join(outside, 'in')), 'deck.pptx'),
  ],
];

describe('inside the roots', () => {
  const { linked, plain } = byLinks(ALLOWED);
  const works = async (_: string, request: (tree: Tree) => string) => {
    const here = await tree();
    const { value } = await call(here.session.client, 'probe', { path: request(here) });
    expect(value).toEqual(askEngine(['--', path.join(here.root, 'deck.pptx')]).value);
  };
  it.each(plain)('%s works', works);
  it.runIf(canLink).each(linked)('%s works', works);

  it.runIf(canLink)('works when the root is given through a link', async () => {
    const here = await tree((folder) => [link(path.join(folder, 'root'), path.join(folder, 'alias'))]);
    const alias = path.join(path.dirname(here.root), 'alias');
    for (const root of [here.root, alias])
      expect((await call(here.session.client, 'probe', { path: path.join(root, 'deck.pptx') })).isError).toBe(false);
    const outside = await call(here.session.client, 'probe', { path: path.join(here.outside, 'deck.pptx') });
    expect(outside.code).toBe('MCP_PATH_NOT_ALLOWED');
  });

  it.runIf(canLink).each(['blob', 'blob.docx'])(
    'a link to %s routes and displays by the name that was asked for',
    async (target) => {
      const { root, session } = await tree();
      copyFileSync(fixture('deck.pptx'), path.join(root, target));
      const requested = link(target, path.join(root, 'Asked For.PPTX'));
      const single = await call(session.client, 'probe', { path: requested });
      expect(single.value).toMatchObject({ status: 'ok', input: { display_name: 'Asked For.PPTX' } });
      expect(single.value).toEqual(askEngine(['--', requested]).value);
      const batch = await call(session.client, 'probe_batch', { paths: [requested], view: 'report' });
      expect((batch.value.reports as Json[])[0]).toEqual({ path: requested, report: single.value });
    },
  );

  it.each([
    'a b.pptx',
    'a,b.pptx',
    // Windows has no such names.
    ...(process.platform === 'win32' ? [] : ['"q".pptx', 'a\nb.pptx']),
    "it's.pptx",
    '$(id).pptx',
    '`id`.pptx',
    'Präsentation 日本.pptx',
    '-x.pptx',
    '--strict.pptx',
    '~.pptx',
  ])('the name %j works', async (name) => {
    const { root, session } = await tree();
    const file = path.join(root, name);
    copyFileSync(fixture('deck.pptx'), file);
    const { value } = await call(session.client, 'probe', { path: file });
    expect(value).toEqual(askEngine(['--', file]).value);
    expect(value).toMatchObject({ status: 'ok', input: { display_name: name } });
  });

  it.runIf(canLink)('a missing file is missing, and a dangling link is judged by its target', async () => {
    const { root, session } = await tree();
    const inside = link('gone.pptx', path.join(root, 'dangling.pptx'));
    for (const requested of [path.join(root, 'gone.pptx'), path.join(root, 'none', 'gone.pptx'), inside])
      expect((await call(session.client, 'probe', { path: requested })).code).toBe('MCP_PATH_NOT_FOUND');
  });

  it.runIf(canLink)('a link loop and a name too long are left to the engine', async () => {
    const { root, session } = await tree();
    const loop = link('loop.pptx', path.join(root, 'loop.pptx'));
    for (const requested of [loop, path.join(root, `${'n'.repeat(300)}.pptx`)])
      expect((await call(session.client, 'probe', { path: requested })).code).toBe('SOURCE_IO');
  });
});

describe('a link that is swapped between the check and the read', () => {
  it.runIf(canLink).each(['probe', 'probe_batch'])(
    'changes nothing for %s: the engine reads what was checked',
    async (tool) => {
      const folder = temporaryFolder();
      const root = path.join(folder, 'root');
      mkdirSync(root);
      const checked = path.join(root, 'real.pptx');
      copyFileSync(fixture('deck.pptx'), checked);
      const secret = path.join(folder, 'secret.pdf');
      copyFileSync(fixture('report.pdf'), secret);
      const swapped = link(checked, path.join(root, 'link.pptx'));
      // Swaps the link first thing, and is then the engine itself.
      const fake = playedEngine(`
      const [engine, secret, swapped] = ${JSON.stringify([ENGINE, secret, swapped])};
      fs.rmSync(swapped);
      fs.symlinkSync(secret, swapped);
      process.exit(require('node:child_process').spawnSync(engine, args, { stdio: 'inherit' }).status);`);
      const { client } = await connect({ bin: fake.bin, roots: [root] });
      const args = tool === 'probe' ? { path: swapped } : { paths: [swapped], view: 'report' };
      const { value } = await call(client, tool, args);
      const report = tool === 'probe' ? value : (value.reports as Json[])[0]?.report;
      expect(report).toMatchObject({ status: 'ok', driver: { profile: 'pptx' }, input: { display_name: 'link.pptx' } });
      expect((await call(client, 'probe', { path: swapped })).code).toBe('MCP_PATH_NOT_ALLOWED');
    },
  );
});
