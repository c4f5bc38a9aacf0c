// Version 2 of the TypeScript SDK, in the era that the variant names. A host gets the whole result.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export default async function run({ server, good, bad, variant }) {
  const mode = variant === 'legacy' ? 'legacy' : { pin: variant };
  const client = new Client({ name: 'clients', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  const answer = await client.callTool(good);
  const error = await client.callTool(bad);
  await client.close();
  return { tools: tools.map(({ name }) => name), answer, error };
}
