// A small MCP client: starts the built server, lists its tools, probes one document and prints the report.
// Usage: node docs/examples/probe-client.mjs [FILE]

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const here = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const file = path.resolve(process.argv[2] ?? here('../../tests/fixtures/deck.pptx'));

const client = new Client({ name: 'probe-client', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const transport = new StdioClientTransport({ command: process.execPath, args: [here('../../dist/main.js')] });

try {
  await client.connect(transport);
  const { tools } = await client.listTools();
  console.error(`Connected over ${client.getNegotiatedProtocolVersion()}. Tools:`);
  for (const { name, title } of tools) console.error(`  ${name}: ${title}`);

  console.error(`\nprobe ${path.basename(file)}:`);
  const result = await client.callTool({ name: 'probe', arguments: { path: file } });
  // The text is for reading; result.structuredContent is the same report as an object.
  console.log(result.content[0].text);
  process.exitCode = result.isError ? 1 : 0;
} finally {
  await client.close();
}
