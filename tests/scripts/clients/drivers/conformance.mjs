// Scenarios of the protocol's conformance suite, which speaks HTTP: over a bridge.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openBridge } from './bridge.mjs';
import { runCommand } from './steps.mjs';

const CLI = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';

export default async function run({ server, scenarios, scratch }) {
  const bridge = await openBridge(server);
  const passed = [];
  const troubles = [];
  for (const scenario of scenarios) {
    const folder = path.join(scratch, scenario);
    const args = ['server', '--url', bridge.url, '--scenario', scenario, '-o', folder];
    const { status, stdout, stderr } = await runCommand([CLI, ...args]);
    if (status === 0 && succeeded(folder)) passed.push(scenario);
    else troubles.push(`${scenario} ended with status ${status}:\n${stdout}${stderr}`);
  }
  await bridge.close();
  return { passed, troubles };
}

/** Whether the suite wrote down at least one check, and none but successes. */
function succeeded(folder) {
  const [run] = readdirSync(folder);
  const checks = JSON.parse(readFileSync(path.join(folder, run, 'checks.json'), 'utf8'));
  return checks.length > 0 && checks.every(({ status }) => status === 'SUCCESS');
}
