// The bare engine and the built server, as the sweep and the benchmark use them.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { currentPlatform, packagedBinary, platformPackage } from '../../dist/engine/find/platform.js';

export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The installed native engine, or the one that DECKPROBE_MCP_BIN names. */
export const ENGINE = process.env.DECKPROBE_MCP_BIN || packagedEngine();

function packagedEngine() {
  const manifest = createRequire(import.meta.url).resolve(`${platformPackage(currentPlatform())}/package.json`);
  return path.join(path.dirname(manifest), packagedBinary(process.platform));
}

/** Runs the bare engine to its end. */
export function runEngine(args, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(ENGINE, args);
    const chunks = [];
    child.stderr.resume();
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout: Buffer.concat(chunks).toString('utf8') }));
    child.stdin.end(input);
  });
}

/** A client over a newly started server. `onClose` is told when the connection ends. */
export async function connectServer({ env = {}, onClose } = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN],
    env: { PATH: process.env.PATH ?? '', DECKPROBE_MCP_BIN: process.env.DECKPROBE_MCP_BIN ?? '', ...env },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'measure', version: '1.0.0' });
  await client.connect(transport);
  if (onClose) client.onclose = onClose;
  return { client, pid: transport.pid };
}
