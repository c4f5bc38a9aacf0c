import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT } from './helpers/files.js';

const SOAK = path.join(PROJECT, 'tests/scripts/soak.mjs');
/** A failing script is shrunk before it is shown, which takes its time. */
const LIMIT_MS = 600_000;

/** Plays some random scripts, and holds of them what does not depend on the machine's speed. */
function soak(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [SOAK, '--untimed', ...args], { encoding: 'utf8' });
  return { stdout, status, all: `${stdout}${stderr}` };
}

// The engine that misbehaves is a shell script.
describe.skipIf(process.platform === 'win32')('random clients over an engine that misbehaves', () => {
  it('are answered once, by the protocol alone, and nothing is left', { timeout: LIMIT_MS }, () => {
    const { stdout, status, all } = soak('--seed', '2', '--scripts', '3');
    expect(status, all).toBe(0);
    expect(stdout).toMatch(/^scripts +3$/m);
  });
});
