import { homedir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../src/config.js';
import { expandHome } from '../src/paths/home.js';

describe('loadConfig', () => {
  it('has the documented defaults when nothing is set', () => {
    expect(loadConfig({})).toEqual({
      bin: undefined,
      roots: undefined,
      timeoutMs: 30_000,
      maxConcurrency: 4,
      maxBatch: 64,
      warnings: [],
    });
  });

  it.each(['', '   ', '\t'])('counts the blank value %j as unset', (blank) => {
    const env = Object.fromEntries(VARIABLES.map((name) => [name, blank]));
    expect(loadConfig(env)).toEqual(loadConfig({}));
  });

  it('counts a placeholder that the client did not expand as unset, and says so', () => {
    for (const name of VARIABLES) {
      const { warnings, ...config } = loadConfig({ [name]: `\${user_config.value}` });
      const { warnings: _, ...defaults } = loadConfig({});
      expect(config).toEqual(defaults);
      expect(warnings, name).toEqual([expect.stringContaining(name)]);
    }
  });

  it.each([
    ['DECKPROBE_MCP_TIMEOUT_MS', 'timeoutMs', 2_147_483_647],
    ['DECKPROBE_MCP_MAX_CONCURRENCY', 'maxConcurrency', 256],
    ['DECKPROBE_MCP_MAX_BATCH', 'maxBatch', 1000],
  ] as const)('takes whole numbers from 1 to the ceiling for %s and refuses the rest', (name, field, ceiling) => {
    for (const value of [1, 17, ceiling]) expect(loadConfig({ [name]: ` ${value} ` })[field]).toBe(value);
    for (const value of ['0', '-1', '1.5', '1e3', 'ten', '0x10', String(ceiling + 1), '99999999999999999999']) {
      const load = () => loadConfig({ [name]: value });
      expect(load, value).toThrow(ConfigError);
      expect(load, value).toThrow(`${name} is "${value}"; valid is a whole number from 1 to ${ceiling}`);
    }
  });

  it('splits roots, trims them and expands the home directory', () => {
    const [docs, spaced] = ['/srv/docs', '/a b'].map((folder) => path.resolve(folder));
    const value = [` ${docs} `, '~', '~/Documents', '', spaced].join(path.delimiter);
    expect(loadConfig({ DECKPROBE_MCP_ROOTS: value }).roots).toEqual([
      docs,
      homedir(),
      path.join(homedir(), 'Documents'),
      spaced,
    ]);
  });

  it.each(['docs', './docs', '../docs', '/ok:docs', '~user/docs', `\${HOME}/docs`, ':', ' : '])(
    'refuses the roots %j',
    (value) => {
      const load = () => loadConfig({ DECKPROBE_MCP_ROOTS: value });
      expect(load).toThrow(ConfigError);
      expect(load).toThrow('DECKPROBE_MCP_ROOTS');
    },
  );

  it('leaves an unexpanded placeholder out of the roots and says so; where none is left nothing may be read', () => {
    const docs = path.resolve('/srv/docs');
    const [first, second] = [`\${user_config.folders}`, `\${OTHER:-/srv${path.delimiter}/var}`];
    const load = (...entries: string[]) => loadConfig({ DECKPROBE_MCP_ROOTS: entries.join(path.delimiter) });
    const some = load(docs, first, second);
    expect(some.roots).toEqual([docs]);
    expect(some.warnings).toEqual(
      [first, second].map((each) => expect.stringContaining(`has ${JSON.stringify(each)}`)),
    );
    const none = load(first, second);
    expect(none.roots).toEqual([]);
    expect(none.warnings).toEqual(Array.from({ length: 2 }, () => expect.stringContaining('nothing may be read')));
    expect(load(first).roots).toBeUndefined();
    // A folder may be called so.
    const named = path.join(docs, first);
    expect(load(named).roots).toEqual([named]);
  });

  it('keeps the named engine as it is; whether it can be used is found out later', () => {
    expect(loadConfig({ DECKPROBE_MCP_BIN: 'relative/deckprobe' }).bin).toBe('relative/deckprobe');
  });
});

describe('expandHome', () => {
  it.each([
    ['~', homedir()],
    ['~/', `${homedir()}${path.sep}`],
    ['~/a/b', path.join(homedir(), 'a/b')],
    ['~x', '~x'],
    ['/~', '/~'],
    ['a~', 'a~'],
  ])('reads %j as %j', (value, expected) => {
    expect(expandHome(value)).toBe(expected);
  });
});

const VARIABLES = [
  'DECKPROBE_MCP_BIN',
  'DECKPROBE_MCP_ROOTS',
  'DECKPROBE_MCP_TIMEOUT_MS',
  'DECKPROBE_MCP_MAX_CONCURRENCY',
  'DECKPROBE_MCP_MAX_BATCH',
];
