import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../src/config.js';
import { desktopConfig } from '../src/desktop-config.js';

const PLACEHOLDER = '$' + '{user_config.allowed_folders}';
const folder = (name: string) => path.resolve(path.sep, 'srv', name);

describe('the settings of the bundle', () => {
  it.each<[string, string[]]>([
    ['nothing', []],
    ['a blank', ['  ']],
    ['the placeholder', [PLACEHOLDER]],
  ])('are the defaults, and open, where the client passes %s for the folders; a warning says so', (_, passed) => {
    const { warnings, ...config } = desktopConfig(['--folders', ...passed, '--end'], {});
    const { warnings: none, ...defaults } = loadConfig({});
    expect(config).toEqual(defaults);
    expect([none, warnings]).toEqual([[], [expect.stringContaining('no folder was chosen')]]);
  });

  it('are a list of roots, seconds as milliseconds, and processes', () => {
    const one = folder(`a${path.delimiter}b`);
    const two = folder('$' + '{year}');
    const args = ['--call-seconds=2.5', '--processes=7', '--folders', one, two, '--end'];
    expect(desktopConfig(args, {})).toEqual({
      ...loadConfig({}),
      roots: [one, two],
      timeoutMs: 2500,
      maxConcurrency: 7,
      warnings: [],
    });
  });

  it('leave a placeholder out of a list, and never fall open', () => {
    const left = desktopConfig(['--folders', folder('a'), PLACEHOLDER, '--end'], {});
    expect(left.roots).toEqual([folder('a')]);
    expect(left.warnings).toEqual([expect.stringContaining('left out')]);
    expect(desktopConfig(['--folders', PLACEHOLDER, PLACEHOLDER, '--end'], {}).roots).toEqual([]);
  });

  it('keep the roots of the environment where no folder was chosen', () => {
    const config = desktopConfig(['--folders', '--end'], { DECKPROBE_MCP_ROOTS: folder('a') });
    expect([config.roots, config.warnings]).toEqual([[folder('a')], []]);
  });

  it('pass over what stands before and after', () => {
    const args = ['--type=utility', '--folders', folder('a'), '--end', '--processes=9', folder('b')];
    expect(desktopConfig(args, {})).toEqual({ ...loadConfig({}), roots: [folder('a')] });
  });

  it.each(['', ' ', '$' + '{user_config.call_seconds}'])('take %j for a number that was not set', (value) => {
    const args = [`--call-seconds=${value}`, `--processes=${value}`, '--folders', '--end'];
    expect(desktopConfig(args, {})).toMatchObject({ timeoutMs: 30_000, maxConcurrency: 4 });
  });

  it.each<[string, string[], string]>([
    ['no folders at all', [], 'the allowed folders are not known'],
    ['no end of the folders', ['--folders', folder('a')], 'the allowed folders are not known'],
    ['a relative folder', ['--folders', 'docs', '--end'], 'the list of allowed folders has "docs"'],
    ['seconds of another kind', ['--call-seconds=soon', '--folders', '--end'], '"soon" was set'],
    ['no seconds', ['--call-seconds=0', '--folders', '--end'], '"0" was set'],
    ['more than can be waited', ['--call-seconds=2147484', '--folders', '--end'], 'at most 2147483'],
    ['half a process', ['--processes=1.5', '--folders', '--end'], '"1.5" was set'],
    ['too many processes', ['--processes=257', '--folders', '--end'], 'at most 256'],
  ])('refuse %s', (_, args, reason) => {
    expect(() => desktopConfig(args, {})).toThrow(ConfigError);
    expect(() => desktopConfig(args, {})).toThrow(reason);
  });
});
