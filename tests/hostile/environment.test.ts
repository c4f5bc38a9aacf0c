import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialize, type Server, sendCall, sendProbe, startBin } from '../helpers/bin.js';
import { askEngine, fakeEngine, type Json, playedEngine } from '../helpers/engines.js';
import { fixture, isWine, PROJECT, temporaryFolder } from '../helpers/files.js';
import { installNative, installServer } from '../helpers/installation.js';

const DECK = fixture('deck.pptx');

async function probeDeck(server: Server): Promise<Json> {
  await initialize(server);
  sendProbe(server, 1);
  const { result } = (await server.answer(1)) as { result: { structuredContent: Json } };
  server.child.stdin.end();
  expect(await server.exit()).toEqual([0, null]);
  return result.structuredContent;
}

const own = () => askEngine(['--', DECK]).value;

describe('where the server is started', () => {
  it('without PATH and HOME, in the root of the file system, a probe works', async () => {
    const server = startBin([], { PATH: undefined }, { cwd: path.parse(process.cwd()).root });
    expect(await probeDeck(server)).toEqual(own());
  });

  it('from an installation whose path has spaces and other letters, a probe works', async () => {
    const installation = path.join(temporaryFolder(), 'Prógram Filés', '日本 (1)');
    const main = installServer(installation);
    const engine = installNative(installation);
    const server = startBin([], {}, { main });
    expect(await probeDeck(server)).toEqual(own());
    expect(server.stderr.join('')).toContain(JSON.stringify(engine));
  });

  // Windows removes no folder that a process is in.
  it.skipIf(process.platform === 'win32')(
    'in a folder that is gone meanwhile, absolute paths work and relative ones are missing',
    async () => {
      const folder = path.join(temporaryFolder(), 'gone');
      mkdirSync(folder);
      const server = startBin([], {}, { cwd: folder });
      await initialize(server);
      spawnSync('rmdir', [folder]);
      sendProbe(server, 1);
      sendProbe(server, 2, 'deck.pptx');
      expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
      expect(await server.answer(2)).toMatchObject({
        result: { structuredContent: { error: { code: 'MCP_PATH_NOT_FOUND' } } },
      });
    },
  );

  it('nothing is written: home, temporary folder and working directory stay empty', async () => {
    const folder = temporaryFolder();
    const places = ['home', 'tmp', 'cwd'].map((name) => path.join(folder, name));
    for (const place of places) mkdirSync(place);
    const [HOME, TMPDIR, cwd] = places as [string, string, string];
    const env = {
      ...{ HOME, USERPROFILE: HOME, XDG_CACHE_HOME: HOME, XDG_CONFIG_HOME: HOME, APPDATA: HOME, LOCALAPPDATA: HOME },
      ...{ TMPDIR, TEMP: TMPDIR, TMP: TMPDIR },
    };
    const server = startBin([], env, { cwd });
    await initialize(server);
    for (const [id, [tool, args]] of (
      [
        ['probe', { path: DECK }],
        ['probe_batch', { paths: [DECK, path.join(folder, 'gone')] }],
        ['list_formats', {}],
      ] as const
    ).entries())
      sendCall(server, id + 1, tool, args);
    await Promise.all([1, 2, 3].map((id) => server.answer(id)));
    server.child.stdin.end();
    await server.exit();
    for (const place of places) expect(readdirSync(place)).toEqual([]);
  });

  // A mount namespace of one's own takes a privilege that not every machine gives.
  const readOnly = [
    'unshare',
    '--map-root-user',
    '--mount',
    'sh',
    '-c',
    'mount -o remount,bind,ro / && exec "$@"',
    'sh',
  ];
  const [command = '', ...rest] = readOnly;
  const canRemount = spawnSync(command, [...rest, 'true']).status === 0;

  it.runIf(canRemount)('on a file system that is read-only, a probe works', async () => {
    const server = startBin([], {}, { wrapper: readOnly });
    expect(await probeDeck(server)).toEqual(own());
  });
});

describe('what the engine sees', () => {
  it('has none of the secrets of the host', async () => {
    const fake = playedEngine(`
      for (const each of Object.entries(process.env)) complain(each.join('='));
      process.exit(9);`);
    const secrets = {
      ANTHROPIC_API_KEY: 'sk-hush',
      AWS_SECRET_ACCESS_KEY: 'hush',
      NODE_OPTIONS: '--no-warnings',
      LD_PRELOAD: '',
    };
    const server = startBin([], { ...secrets, LC_ALL: 'C.UTF-8', DECKPROBE_MCP_BIN: fake.bin });
    const { error } = (await probeDeck(server)) as { error: { message: string } };
    expect(error.message).toContain('LC_ALL=C.UTF-8');
    for (const hidden of [...Object.keys(secrets), 'hush', 'DECKPROBE_MCP'])
      expect(error.message).not.toContain(`${hidden}=`);
    expect(error.message).not.toContain('hush');
  });

  it.runIf(process.platform === 'linux')('is no open file of the server', async () => {
    const fake = fakeEngine('ls -m /dev/fd/ >&2; exit 9');
    const { error } = (await probeDeck(startBin([], { DECKPROBE_MCP_BIN: fake.bin }))) as {
      error: { message: string };
    };
    // Those that every process has here: whoever started the tests may have left some open.
    const { stdout } = spawnSync('ls', ['-m', '/dev/fd/'], { encoding: 'utf8' });
    expect(error.message.split('stderr: ')[1]).toBe(stdout.trim());
  });

  it.runIf(process.platform === 'win32')(
    'is on Windows the short list, and what SECURITY.md says that Node adds',
    async () => {
      const security = readFileSync(path.join(PROJECT, 'SECURITY.md'), 'utf8');
      const [added = ''] = /(?<=\*\*The environment on Windows\.\*\*)[\s\S]*?\n- /.exec(security) ?? [];
      const names = [...added.matchAll(/`([A-Z]+)`/g)].map(([, name = '']) => name);
      expect(names).toHaveLength(11);
      const fake = playedEngine(`complain(Object.keys(process.env).join(' ')); process.exit(9);`);
      const env = { ...process.env, LC_ALL: 'C.UTF-8', SECRET: 'hush', LOGONSERVER: 'X', DECKPROBE_MCP_BIN: fake.bin };
      const { error } = (await probeDeck(startBin([], env))) as { error: { message: string } };
      const seen = error.message
        .slice(error.message.indexOf('stderr: ') + 8)
        .toUpperCase()
        .split(' ');
      const passed = ['HOME', 'TMPDIR', 'TMP', 'TZ', 'LANG', 'LANGUAGE', 'LC_ALL'];
      // Wine adds some of its own.
      const others = seen.filter(
        (name) => ![...names, ...passed].includes(name) && !(isWine && name.startsWith('WINE')),
      );
      expect(others).toEqual([]);
      expect(seen).toEqual(expect.arrayContaining(['LC_ALL', 'LOGONSERVER', 'SYSTEMROOT']));
    },
  );
});
