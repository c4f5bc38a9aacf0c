// LlamaIndex: its tools run as its agents run them, by callTool.
import { callTool } from '@llamaindex/core/agent';
import { mcp } from '@llamaindex/tools';

export default async function run({ server, good, bad }) {
  const client = mcp({ ...server, stderr: 'ignore' });
  const tools = await client.tools();
  const logger = { log() {}, error() {}, warn() {} };
  const call = async ({ name, arguments: input }, id) => {
    const tool = tools.find(({ metadata }) => metadata.name === name);
    return (await callTool(tool, { id, name, input }, logger)).output;
  };
  const answer = await call(good, 'call_1');
  const error = await call(bad, 'call_2');
  await client.cleanup();
  return { tools: tools.map(({ metadata }) => metadata.name), answer, error };
}
