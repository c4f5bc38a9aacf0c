// Genkit: its loop runs, and what a model would be told is read from the input of a model of its own kind.
import { createMcpHost } from '@genkit-ai/mcp';
import { genkit } from 'genkit';
import { standIn } from './steps.mjs';

export default async function run({ server, good, bad }) {
  const ai = genkit({});
  const host = createMcpHost({ name: 'clients', mcpServers: { deckprobe: { ...server, stderr: 'ignore' } } });
  const tools = await host.getActiveTools(ai);
  const { inputs, turn } = standIn([good, bad]);
  const model = ai.defineModel(
    { name: 'stand-in', supports: { tools: true, multiturn: true } },
    async ({ messages }) => {
      const call = turn(messages);
      const part = call
        ? { toolRequest: { ref: call.id, name: call.name, input: call.arguments } }
        : { text: 'Three.' };
      return { message: { role: 'model', content: [part] }, finishReason: 'stop' };
    },
  );
  await ai.generate({ model, tools, prompt: 'How many slides?', maxTurns: 3 });
  await host.close();
  const outputs = inputs[2].filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
  const [answer, error] = outputs.map(({ toolResponse }) => toolResponse);
  return { tools: tools.map((tool) => tool.__action.name.replace('deckprobe/', '')), answer, error };
}
