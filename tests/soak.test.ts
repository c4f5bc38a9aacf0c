import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT } from './helpers/files.js';

const SOAK = path.join(PROJECT, 'tests/scripts/soak.mjs');
/** A failing script is shrunk before it is shown, which takes its time. */
const LIMIT_MS = 600_000;

// The engine that misbehaves is a shell script, and what it leaves behind is looked for in its process group.
describe.skipIf(process.platform === 'win32')('random clients over an engine that misbehaves', () => {
  it('are answered once, by the protocol alone, and nothing is left', { timeout: LIMIT_MS }, () => {
    const args = [SOAK, '--untimed', '--seed', '1', '--scripts', '3'];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(status, stdout || stderr).toBe(0);
    expect(stdout).toMatch(/^scripts +3$/m);
  });
});
