import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { initialize, sendCall, sendProbe, startBin } from '../helpers/bin.js';
import { fixture, MAIN } from '../helpers/files.js';

/** A user without an entry in the password database, as containers are run under. */
const NOBODY_AT_ALL = 54_321;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY_AT_ALL}`, `--regid=${NOBODY_AT_ALL}`, '--clear-groups'];

/** Why no process can be started as that user here, or undefined when one can. */
function whyNot(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can start one';
  const [command = '', ...args] = AS_NOBODY;
  const { status, error, stderr } = spawnSync(command, [...args, process.execPath, MAIN, '--version']);
  return status === 0 ? undefined : `it cannot run this checkout: ${error?.message ?? stderr.toString()}`;
}

const reason = whyNot();
if (reason !== undefined) process.stderr.write(`no tests with a user that has no home directory: ${reason}\n`);

interface Homeless {
  readonly env: NodeJS.ProcessEnv;
  readonly wrapper?: readonly string[];
}

const KINDS: [string, Homeless][] = [
  ['an empty HOME', { env: { HOME: '' } }],
  ['a relative HOME', { env: { HOME: 'home' } }],
  ...(reason === undefined
    ? [['no HOME and no entry for the user', { env: {}, wrapper: AS_NOBODY }] as [string, Homeless]]
    : []),
];

// Windows asks the system itself where no variable names a home directory.
describe.skipIf(process.platform === 'win32').each(KINDS)('with %s', (_, { env, wrapper }) => {
  const start = (more: NodeJS.ProcessEnv = {}) => startBin([], { ...env, ...more }, { ...(wrapper && { wrapper }) });

  it.each(['~/x', '~', '/srv:~/x'])(
    'the roots %s are a bad value: one line that names the variable, status 2',
    async (roots) => {
      const server = start({ DECKPROBE_MCP_ROOTS: roots });
      expect(await server.exit()).toEqual([2, null]);
      expect(server.stderr.join('')).toMatch(
        /^deckprobe-mcp: DECKPROBE_MCP_ROOTS has "~(\/x)?", but the server('s| has no) home directory .*; valid are absolute folders\n$/,
      );
      expect(server.stdout.join('')).toBe('');
    },
  );

  it('a path with ~ is an invalid argument, alone and in a batch, and others are answered', async () => {
    const server = start();
    await initialize(server);
    sendProbe(server, 1, '~/x.pdf');
    const invalid = {
      code: 'MCP_INVALID_ARGUMENT',
      message: expect.stringMatching(/^"~\/x\.pdf" cannot be read: .* home directory/),
    };
    expect(await server.answer(1)).toMatchObject({ result: { isError: true, structuredContent: { error: invalid } } });
    sendCall(server, 2, 'probe_batch', { paths: ['~/x.pdf', fixture('deck.pptx')] });
    expect(await server.answer(2)).toMatchObject({
      result: { structuredContent: { reports: [{ report: { error: invalid } }, { report: { status: 'ok' } }] } },
    });
  });
});
