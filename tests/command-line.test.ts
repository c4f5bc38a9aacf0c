import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBin } from './helpers/bin.js';
import { askEngine } from './helpers/engines.js';
import { fixture, PROJECT } from './helpers/files.js';

const VERSION = '0.1.0';

describe('the command line', () => {
  it.each([
    ['--version', 0, `${VERSION}\n`, ''],
    ['--help', 0, /^Usage: deckprobe-mcp[\s\S]*DECKPROBE_MCP_ROOTS/, ''],
    ['--strict', 2, '', /^Usage: deckprobe-mcp/],
    ['report.pdf', 2, '', /^Usage: deckprobe-mcp/],
  ])('%s', async (argument, status, stdout, stderr) => {
    const server = startBin([argument]);
    expect(await server.exit()).toEqual([status, null]);
    expect(server.stdout.join('')).toMatch(stdout);
    expect(server.stderr.join('')).toMatch(stderr);
    if (stdout === '') expect(server.stdout).toEqual([]);
  });

  it('refuses a bad setting with one line and status 2', async () => {
    const server = startBin([], { DECKPROBE_MCP_TIMEOUT_MS: 'soon' });
    expect(await server.exit()).toEqual([2, null]);
    expect(server.stdout).toEqual([]);
    expect(server.stderr.join('')).toBe(
      'deckprobe-mcp: DECKPROBE_MCP_TIMEOUT_MS is "soon"; valid is a whole number from 1 to 2147483647\n',
    );
  });
});

describe('the demo', () => {
  it('prints the report of the file it is given, by default a fixture', async () => {
    const demo = path.join(PROJECT, 'docs', 'examples', 'probe-client.mjs');
    for (const args of [[], [fixture('report.pdf')]]) {
      const child = spawn(process.execPath, [demo, ...args]);
      const stdout: Buffer[] = [];
      child.stdout.on('data', (chunk) => stdout.push(chunk));
      const [status] = await once(child, 'close');
      expect(status).toBe(0);
      const file = args[0] ?? fixture('deck.pptx');
      expect(JSON.parse(Buffer.concat(stdout).toString('utf8'))).toEqual(askEngine(['--', file]).value);
    }
  });
});
