// Mastra: an agent's loop runs, and what a model would be told is read from the stand-in's input. The variant is the
// version of the interface of language models that its core takes.
import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';
import { languageModel, toolOutputs } from './language-model.mjs';
import { standIn } from './steps.mjs';

const PREFIX = 'deckprobe_';

export default async function run({ server, good, bad, variant }) {
  const client = new MCPClient({ servers: { deckprobe: { ...server, stderr: 'ignore' } } });
  const tools = await (client.listTools ?? client.getTools).call(client);
  const { inputs, turn } = standIn([good, bad].map((call) => ({ ...call, name: PREFIX + call.name })));
  const model = languageModel(turn, variant);
  const agent = new Agent({ id: 'clients', name: 'clients', instructions: 'Answer.', model, tools });
  await agent.generate('How many slides?', { maxSteps: 3 });
  await client.disconnect();
  const [answer, error] = toolOutputs(inputs[2]);
  return { tools: Object.keys(tools).map((name) => name.replace(PREFIX, '')), answer, error };
}
