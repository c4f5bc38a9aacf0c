// A client of the built server, over copies of fixtures in a folder that stands in the examples under another name.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { loadConfig } from '../../../dist/config.js';
import { createEngine } from '../../../dist/engine.js';
import { buildServer } from '../../../dist/server.js';

/** The folder of the documents as the examples name it. */
export const FOLDER = '/home/ada/documents';
const DOCUMENTS = ['deck.pptx', 'report.pdf'];

/** Runs `use` with the tools as the server registers them and with a way to call them, and ends everything after it. */
export async function withServer(use) {
  const folder = mkdtempSync(path.join(tmpdir(), 'deckprobe-docs-'));
  const config = loadConfig({});
  const engine = createEngine(config, { log: () => {} });
  const client = new Client({ name: 'docs', version: '1.0.0' });
  try {
    for (const name of DOCUMENTS)
      copyFileSync(fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url)), path.join(folder, name));
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    await Promise.all([buildServer({ engine, config }).connect(serverSide), client.connect(clientSide)]);
    // So that the engine's version stands in envelopes of the server's own.
    await client.callTool({ name: 'list_formats' });
    const { tools } = await client.listTools();
    return await use({ tools, ask: (call) => ask(client, folder, call) });
  } finally {
    await client.close();
    await engine.close();
    rmSync(folder, { recursive: true });
  }
}

/** The result of a call, with the examples' folder in the place of the temporary one. */
async function ask(client, folder, call) {
  const result = await client.callTool(mapStrings(call, (text) => text.replaceAll(FOLDER, folder)));
  const names = [folder + path.sep, `${folder}/`].flatMap(writtenForms);
  return mapStrings(result, (text) => names.reduce((shown, name) => shown.replaceAll(name, `${FOLDER}/`), text));
}

/** A path as it stands in a JSON text's messages, in a message, and by itself: the backslashes of Windows are doubled twice, once, and not. */
function writtenForms(name) {
  const quoted = JSON.stringify(name).slice(1, -1);
  return [JSON.stringify(quoted).slice(1, -1), quoted, name];
}

function mapStrings(value, change) {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
}
