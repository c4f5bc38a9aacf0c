import { describe, expect, it } from 'vitest';
import { probeFlags } from '../../src/engine/flags.js';
import type { ProbeOptions } from '../../src/engine/types.js';
import { DECK, failureOf, startEngine } from '../helpers/engine-under-test.js';
import { askEngine, playedEngine } from '../helpers/engines.js';
import { isWine } from '../helpers/files.js';

describe('flags', () => {
  it('map one to one, in the = form', () => {
    expect(
      probeFlags({
        targets: ['@summary', '--strict'],
        level: 'deep',
        min_confidence: 'low',
        target_confidence: { 'document.title': 'exact', '-x': 'low' },
        view: 'values',
        budget: { max_physical_bytes: 1, max_expanded_bytes: 2, max_archive_entries: 3, timeout_ms: 4 },
      }),
    ).toEqual([
      '--targets=@summary',
      '--targets=--strict',
      '--probe-level=deep',
      '--minimum-confidence=low',
      '--target-confidence=document.title=exact',
      '--target-confidence=-x=low',
      '--view=values',
      '--probe-size=1',
      '--max-expanded-bytes=2',
      '--max-archive-entries=3',
      '--timeout-ms=4',
    ]);
    expect(probeFlags({ view: 'report' })).toEqual([]);
    expect(probeFlags({})).toEqual([]);
  });

  it('are the ones that the engine knows', async () => {
    const { probe } = startEngine();
    const options: ProbeOptions = {
      targets: ['@summary'],
      level: 'deep',
      min_confidence: 'low',
      target_confidence: { 'document.title': 'exact' },
      view: 'values',
      budget: { max_physical_bytes: 1e6, max_expanded_bytes: 1e6, max_archive_entries: 1e3, timeout_ms: 6e5 },
    };
    const outcome = await probe(options);
    expect(outcome).toMatchObject({ kind: 'answer', value: { status: 'partial', view: 'values' } });
    expect(outcome).toEqual({ kind: 'answer', ...askEngine([...probeFlags(options), '--', DECK.path]) });
  });
});

describe('arguments', () => {
  it('reach the engine byte for byte', async () => {
    const fake = playedEngine(`complain(args.map((arg) => arg + '|').join('')); process.exit(9);`);
    const { probe } = startEngine({ bin: fake.bin });
    const targets = ['a b', "it's", '$(id)', '`id`', 'x;y', '*', 'Ü', '--help', 'a,b', '"q"'];
    const { message } = failureOf(await probe({ targets }));
    expect(message).toContain(`${targets.map((target) => `--targets=${target}`).join('|')}|--|${DECK.path}|`);
  });

  // Wine hands on a command line of any length.
  it.skipIf(isWine)('that are longer than the operating system takes are an invalid argument', async () => {
    const { probe } = startEngine();
    const failure = failureOf(await probe({ targets: Array.from({ length: 200 }, () => 'x'.repeat(32_000)) }));
    expect(failure).toMatchObject({
      code: 'MCP_INVALID_ARGUMENT',
      message: expect.stringMatching(/E2BIG|ENAMETOOLONG/),
    });
    expect(await probe()).toMatchObject({ kind: 'answer' });
  });
});
