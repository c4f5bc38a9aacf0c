import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, copyFileSync, openSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { currentPlatform, packagedBinary, platformPackage } from '../../src/engine/find/platform.js';
import { initialize, type Server, sendProbe, startBin } from '../helpers/bin.js';
import { failureOf, startEngine } from '../helpers/engine-under-test.js';
import { ENGINE, type Json, playedEngine, TINY_REPORT } from '../helpers/engines.js';
import { temporaryFolder, writeFile } from '../helpers/files.js';
import { until } from '../helpers/waiting.js';

/** Linux refuses to start a file that somebody has open for writing (ETXTBSY). */
const ONLY_LINUX = process.platform === 'linux';

/** An installation whose package is a copy of the engine, and the environment of one with another engine on PATH. */
function installation() {
  const folder = temporaryFolder();
  const installed = path.join(folder, 'node_modules', String(platformPackage(currentPlatform())));
  writeFile(path.join(installed, 'package.json'), '{}');
  const command = writeFile(path.join(installed, packagedBinary(process.platform)), '', 0o755);
  copyFileSync(ENGINE, command);
  const other = playedEngine('print(REPORT)');
  const dependencies = {
    resolveFrom: pathToFileURL(`${folder}/dist/engine.js`).href,
    env: { PATH: path.dirname(other.bin) },
  };
  return { command, other, dependencies };
}

describe.runIf(ONLY_LINUX)('an engine whose file is being written', () => {
  it('is tried again, then the trouble is said, and no other engine takes its place', async () => {
    const { command, other, dependencies } = installation();
    const { probe, log } = startEngine({}, dependencies);
    expect(await probe()).toMatchObject({ kind: 'answer' });
    const writing = openSync(command, 'r+');
    const failure = failureOf(await probe());
    expect(failure).toMatchObject({
      code: 'MCP_ENGINE_FAILURE',
      message: expect.stringContaining('ETXTBSY: its file is being written'),
    });
    expect(failure.hint).toContain('Call again in a few seconds');
    closeSync(writing);
    expect(await probe()).toMatchObject({ kind: 'answer', value: { driver: { id: 'powerpoint' } } });
    expect(other.starts()).toEqual([]);
    expect(log.filter((line) => line.includes('engine deckprobe'))).toHaveLength(1);
  });

  it('when it is first looked for is not passed over either', async () => {
    const { command, other, dependencies } = installation();
    const { probe, engine } = startEngine({}, dependencies);
    const writing = openSync(command, 'r+');
    expect(failureOf(await probe()).message).toContain('ETXTBSY');
    closeSync(writing);
    expect(await probe()).toMatchObject({ kind: 'answer', value: { driver: { id: 'powerpoint' } } });
    expect(engine.version).toBe('2.7.0');
    expect(other.starts()).toEqual([]);
  });

  it('for a moment only answers all the same', async () => {
    const { command, dependencies } = installation();
    const { probe } = startEngine({}, dependencies);
    await probe();
    const writing = openSync(command, 'r+');
    const answer = probe();
    setTimeout(() => closeSync(writing), 20);
    expect(await answer).toMatchObject({ kind: 'answer' });
  });
});

describe('an engine that was found', () => {
  // By a permission bit, which Windows does not have.
  it.skipIf(process.platform === 'win32')(
    'stays the engine while its file is there, whatever keeps it from being started',
    async () => {
      const { command, other, dependencies } = installation();
      const { probe } = startEngine({}, dependencies);
      expect(await probe()).toMatchObject({ kind: 'answer' });
      chmodSync(command, 0o644);
      for (let round = 0; round < 2; round += 1)
        expect(failureOf(await probe()).message).toContain('could not be started: EACCES');
      chmodSync(command, 0o755);
      expect(await probe()).toMatchObject({ kind: 'answer', value: { driver: { id: 'powerpoint' } } });
      expect(other.starts()).toEqual([]);
    },
  );

  it('gives way to another one when its file is gone', async () => {
    const { command, other, dependencies } = installation();
    const { probe } = startEngine({}, dependencies);
    expect(await probe()).toMatchObject({ kind: 'answer' });
    rmSync(command);
    expect(failureOf(await probe()).message).toContain('could not be started: ENOENT');
    expect(await probe()).toMatchObject({ kind: 'answer', text: TINY_REPORT });
    expect(other.starts().length).toBeGreaterThan(0);
  });
});

/** Lets a server open no file beyond a number from now on. The hard limit stays, so that there is a way back. */
function limitDescriptors(server: Server, descriptors: number): void {
  const args = ['--pid', String(server.child.pid), `--nofile=${descriptors}:`];
  expect(spawnSync('prlimit', args, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
}

describe.runIf(ONLY_LINUX)('a server without a free descriptor', () => {
  it('before its first call has all that it needs to answer once some are free', async () => {
    const server = startBin();
    await initialize(server);
    limitDescriptors(server, 10);
    for (const id of [1, 2]) sendProbe(server, id);
    for (const id of [1, 2])
      expect(await server.answer(id)).toMatchObject({
        result: {
          structuredContent: { error: { code: 'MCP_ENGINE_FAILURE', message: expect.stringContaining('EMFILE') } },
        },
      });
    limitDescriptors(server, 1024);
    sendProbe(server, 3);
    expect(await server.answer(3)).toMatchObject({ result: { structuredContent: { driver: { id: 'powerpoint' } } } });
  });

  it('says so, keeps its engine, and answers again when some are free', async () => {
    const server = startBin([], { PATH: path.dirname(playedEngine('print(REPORT)').bin) });
    await initialize(server);
    const ask = async (id: number) => {
      sendProbe(server, id);
      const { result } = (await server.answer(id)) as { result: { structuredContent: Json } };
      return result.structuredContent;
    };
    expect(await ask(1)).toMatchObject({ driver: { id: 'powerpoint' } });
    const limit = (descriptors: number) => limitDescriptors(server, descriptors);
    const open = () => readdirSync(`/proc/${server.child.pid}/fd`).length;
    const before = open();
    limit(before);
    const refused = await Promise.all([ask(2), ask(3), ask(4)]);
    for (const { error } of refused)
      expect(error).toMatchObject({
        code: 'MCP_ENGINE_FAILURE',
        message: expect.stringContaining('EMFILE: the server has too many files open'),
      });
    limit(1024);
    expect(await ask(5)).toMatchObject({ driver: { id: 'powerpoint' } });
    expect(server.stderr.join('').match(/engine deckprobe/g)).toHaveLength(1);
    // With as many as a start takes less one, Node would lose three at each try.
    for (let spare = 1; spare < 9; spare += 1) {
      limit(open() + spare);
      for (let id = 10; id < 20; id += 1) await ask(spare * 100 + id);
    }
    limit(1024);
    expect(await ask(6)).toMatchObject({ driver: { id: 'powerpoint' } });
    await until(
      () => open() <= before + 3,
      () => `${open()} descriptors are open, ${before} were before`,
    );
  }, 120_000);
});
