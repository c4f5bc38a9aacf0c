import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MAIN, PROJECT } from './helpers/files.js';

/** The storeys of the house, from the top. A file imports from its own storey and from those below it. */
const STOREYS: readonly RegExp[] = [
  /^(main|desktop|index)\.ts$/,
  /^(serve|desktop-config)\.ts$/,
  /^server\.ts$/,
  /^stdio\//,
  /^tools\//,
  /^engine\.ts$/,
  /^engine\/process-engine\.ts$/,
  /^engine\/(admission|flags|processes|shared)\.ts$/,
  /^engine\/find\//,
  /^engine\/wasm\//,
  /^engine\/read\//,
  /^engine\/run\//,
  // The leaves, which everything may use.
  /^(config|errors|filesystem|gaps|hints|instructions|json|paths|schemas|version)\.ts$|^(filesystem|gaps|hints|paths|schemas)\/|^engine\/(call|types)\.ts$/,
];
const ROOM = /^engine\/(?<room>[^/]+)\//;
/** Files that have effects when imported: processes begin with them. */
const ENTRIES = ['main.ts', 'desktop.ts', 'engine/wasm/runner.ts', 'filesystem/runner.ts'];
const STARTS_PROCESSES = ['engine/run/kill.ts', 'engine/run/process.ts'];
const MOST_FILES_IN_A_ROOM = 8;

const SOURCES = readdirSync(path.join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts'));
const ROOMS = [...new Set(SOURCES.flatMap((name) => ROOM.exec(name)?.groups?.room ?? []))];

/** What is wrong with an import, or undefined for one that is as it should be. */
function trespass(from: string, to: string): string | undefined {
  if (storeyOf(to) < storeyOf(from)) return 'runs up';
  const room = ROOM.exec(to)?.groups?.room;
  if (room !== undefined && ROOM.exec(from)?.groups?.room !== room && to !== `engine/${room}/index.ts`)
    return `enters a room, but not by its door engine/${room}/index.ts`;
  if (storeyOf(from) < storeyOf('engine.ts') && to.startsWith('engine/') && to !== 'engine/types.ts')
    return 'goes past engine.ts';
  return undefined;
}

function storeyOf(file: string): number {
  const storey = STOREYS.findIndex((names) => names.test(file));
  if (storey === -1) throw new Error(`src/${file} has no place in the house: give it one in this test`);
  return storey;
}

function importsOf(name: string): string[] {
  const text = readFileSync(path.join(PROJECT, 'src', name), 'utf8');
  return [...text.matchAll(/\b(?:from|import)\s*\(?'(\.[^']+)\.js'/g)].map(([, target = '']) =>
    path.posix.join(path.posix.dirname(name), `${target}.ts`),
  );
}

describe('the modules', () => {
  it('import downwards only, and enter the rooms of the engine by their doors', () => {
    const wrong = SOURCES.flatMap((from) =>
      importsOf(from).flatMap((to) => {
        const reason = trespass(from, to);
        return reason === undefined ? [] : `${from} -> ${to}: ${reason}`;
      }),
    );
    expect(wrong).toEqual([]);
    // What is read here are real imports: a pattern that matched none would find nothing wrong.
    expect(importsOf('engine.ts')).toEqual(expect.arrayContaining(['engine/call.ts', 'engine/process-engine.ts']));
    expect(importsOf('engine/find/candidates.ts')).toContain('engine/wasm/index.ts');
  });

  it.each([
    ['tools/probe.ts', 'engine/find/resolve.ts', 'door'],
    ['tools/probe.ts', 'engine/run/index.ts', 'past engine.ts'],
    ['tools/probe.ts', 'engine/process-engine.ts', 'past engine.ts'],
    ['tools/probe.ts', 'server.ts', 'runs up'],
    ['engine/run/process.ts', 'engine/read/index.ts', 'runs up'],
    ['engine/read/output.ts', 'engine/process-engine.ts', 'runs up'],
    ['engine/find/resolve.ts', 'engine/run/process.ts', 'door'],
    ['engine/process-engine.ts', 'engine/read/lines.ts', 'door'],
    ['errors.ts', 'paths.ts', undefined],
    ['paths/neighbour.ts', 'engine/shared.ts', 'runs up'],
    ['engine/find/locator.ts', 'engine/find/resolve.ts', undefined],
    ['tools/probe.ts', 'engine/types.ts', undefined],
  ])('an import from %s to %s is judged rightly', (from, to, reason) => {
    const judged = trespass(from, to);
    if (reason === undefined) expect(judged).toBeUndefined();
    else expect(judged).toContain(reason);
  });

  it.each(ROOMS)('the room engine/%s says at its door what belongs in it, and is not crowded', (room) => {
    const door = readFileSync(path.join(PROJECT, 'src', 'engine', room, 'index.ts'), 'utf8');
    expect(door).toMatch(/^\/\*\n \* \S/);
    const files = SOURCES.filter((name) => ROOM.exec(name)?.groups?.room === room);
    expect(files.length, files.join(', ')).toBeLessThanOrEqual(MOST_FILES_IN_A_ROOM);
  });

  it('start processes in one room only', () => {
    const starting = SOURCES.filter((name) =>
      /node:child_process/.test(readFileSync(path.join(PROJECT, 'src', name), 'utf8')),
    );
    expect(starting.sort()).toEqual(STARTS_PROCESSES);
  });

  it('have no effect when they are imported, but for the entries', () => {
    const modules = SOURCES.filter((name) => !ENTRIES.includes(name)).map((name) => name.replace(/\.ts$/, '.js'));
    const code = `
      const folder = ${JSON.stringify(`${pathToFileURL(path.dirname(MAIN))}/`)};
      Promise.all(${JSON.stringify(modules)}.map((name) => import(folder + name))).then((loaded) => {
        const active = process.getActiveResourcesInfo().filter((kind) => /Timeout|Process|Immediate|Worker/.test(kind));
        process.stdout.write(JSON.stringify([loaded.length, active, process.listenerCount('SIGTERM')]));
      });`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual([JSON.stringify([modules.length, [], 0]), '']);
  });
});
