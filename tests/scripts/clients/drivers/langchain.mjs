// The LangChain adapters, under the node of LangGraph that runs tools: the message it makes is what goes to a model.
import { AIMessage } from '@langchain/core/messages';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';

export default async function run({ server, good, bad }) {
  const client = new MultiServerMCPClient({ mcpServers: { deckprobe: { transport: 'stdio', ...server } } });
  const tools = await client.getTools();
  const node = new ToolNode(tools);
  const call = async ({ name, arguments: args }, id) => {
    const tool_calls = [{ id, name, args, type: 'tool_call' }];
    const { messages } = await node.invoke({ messages: [new AIMessage({ content: '', tool_calls })] });
    return messages[0].content;
  };
  const answer = await call(good, 'call_1');
  const error = await call(bad, 'call_2');
  await client.close();
  return { tools: tools.map(({ name }) => name), answer, error };
}
