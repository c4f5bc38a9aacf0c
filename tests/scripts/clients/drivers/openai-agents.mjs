// OpenAI Agents: its loop runs, and what a model would be told is read from the stand-in's input.
import { Agent, MCPServerStdio, Runner, Usage } from '@openai/agents';
import { standIn } from './steps.mjs';

export default async function run({ server: { command, args, env }, good, bad }) {
  const server = new MCPServerStdio({ name: 'deckprobe', command, args, env });
  await server.connect();
  const { inputs, turn } = standIn([good, bad]);
  const agent = new Agent({ name: 'clients', instructions: '', mcpServers: [server], model: { getResponse } });
  await new Runner({ tracingDisabled: true }).run(agent, 'How many slides?');
  const tools = await server.listTools();
  await server.close();
  const [answer, error] = inputs[2].filter(({ type }) => type === 'function_call_result').map(({ output }) => output);
  return { tools: tools.map(({ name }) => name), answer, error };

  async function getResponse({ input }) {
    const call = turn(input);
    const output = call
      ? { type: 'function_call', callId: call.id, name: call.name, arguments: JSON.stringify(call.arguments) }
      : { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Three.' }] };
    return { output: [{ status: 'completed', ...output }], usage: new Usage() };
  }
}
