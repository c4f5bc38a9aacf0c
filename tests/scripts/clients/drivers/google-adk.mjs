// Google's Agent Development Kit: an agent runs, and what a model would be told is read from the stand-in's requests.
import { BaseLlm, InMemoryRunner, LlmAgent, MCPToolset } from '@google/adk';
import { standIn } from './steps.mjs';

export default async function run({ server, good, bad }) {
  const toolset = new MCPToolset({ type: 'StdioConnectionParams', serverParams: { ...server, stderr: 'ignore' } });
  const tools = await toolset.getTools();
  const { inputs, turn } = standIn([good, bad]);
  const agent = new LlmAgent({ name: 'clients', model: new StandIn(turn), instruction: 'Answer.', tools: [toolset] });
  const newMessage = { role: 'user', parts: [{ text: 'How many slides?' }] };
  for await (const event of new InMemoryRunner({ agent }).runEphemeral({ userId: 'user', newMessage }))
    if (event.errorMessage) throw new Error(event.errorMessage);
  await toolset.close();
  const parts = inputs[2].flatMap((content) => content.parts);
  const [answer, error] = parts
    .flatMap(({ functionResponse }) => functionResponse ?? [])
    .map(({ response }) => response);
  return { tools: tools.map(({ name }) => name), answer, error };
}

class StandIn extends BaseLlm {
  constructor(turn) {
    super({ model: 'stand-in' });
    this.turn = turn;
  }

  async *generateContentAsync({ contents }) {
    const call = this.turn(contents);
    const part = call ? { functionCall: { id: call.id, name: call.name, args: call.arguments } } : { text: 'Three.' };
    yield { content: { role: 'model', parts: [part] } };
  }
}
