// The helper of Anthropic's SDK: its tool runner runs, and what a model would be told is read from its requests.
import Anthropic from '@anthropic-ai/sdk';
import { mcpTools } from '@anthropic-ai/sdk/helpers/beta/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { standIn } from './steps.mjs';

export default async function run({ server, good, bad }) {
  const client = new Client({ name: 'clients', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  const tools = mcpTools((await client.listTools()).tools, client);
  const { inputs, turn } = standIn([good, bad]);
  const anthropic = new Anthropic({ apiKey: 'none', fetch: async (_url, { body }) => reply(turn(JSON.parse(body))) });
  const question = { role: 'user', content: 'How many slides?' };
  const request = { model: 'stand-in', max_tokens: 100, messages: [question], tools };
  await anthropic.beta.messages.toolRunner(request).runUntilDone();
  await client.close();
  // A request need not repeat what the one before it told.
  const told = inputs.flatMap(({ messages }) => messages).flatMap(({ content }) => content);
  const [answer, error] = ['call_1', 'call_2'].map((id) => told.find((block) => block.tool_use_id === id)?.content);
  return { tools: inputs[0].tools.map(({ name }) => name), answer, error };
}

function reply(call) {
  const block = call
    ? { type: 'tool_use', id: call.id, name: call.name, input: call.arguments }
    : { type: 'text', text: 'Three.' };
  return Response.json({
    id: 'message',
    type: 'message',
    role: 'assistant',
    model: 'stand-in',
    content: [block],
    stop_reason: call ? 'tool_use' : 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  });
}
