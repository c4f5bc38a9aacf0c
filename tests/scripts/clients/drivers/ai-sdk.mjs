// The AI SDK: its loop runs, and what a model would be told is read from the stand-in's input.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { generateText, stepCountIs } from 'ai';
import { languageModel, toolOutputs } from './language-model.mjs';
import { standIn } from './steps.mjs';

export default async function run({ server, good, bad }) {
  const client = await createMCPClient({ transport: new StdioTransport({ ...server, stderr: 'ignore' }) });
  const tools = await client.tools();
  const { inputs, turn } = standIn([good, bad]);
  await generateText({ model: languageModel(turn, 'v3'), tools, prompt: 'How many slides?', stopWhen: stepCountIs(3) });
  await client.close();
  const [answer, error] = toolOutputs(inputs[2]);
  return { tools: Object.keys(tools), answer, error };
}
