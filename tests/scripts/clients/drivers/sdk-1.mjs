// Version 1 of the TypeScript SDK. A host gets the whole result.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

export default async function run({ server, good, bad }) {
  const client = new Client({ name: 'clients', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  const answer = await client.callTool(good);
  const error = await client.callTool(bad);
  await client.close();
  return { tools: tools.map(({ name }) => name), answer, error };
}
