// The Google Gen AI SDK: it calls tools by itself, and what a model would be told is read from its requests.
import { GoogleGenAI, mcpToTool } from '@google/genai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { standIn } from './steps.mjs';

export default async function run({ server, good, bad }) {
  const client = new Client({ name: 'clients', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  const { inputs, turn } = standIn([good, bad]);
  // The SDK takes no other way to the model than this.
  globalThis.fetch = async (_url, { body }) => reply(turn(JSON.parse(body)));
  const config = { tools: [mcpToTool(client)] };
  await new GoogleGenAI({ apiKey: 'none' }).models.generateContent({ model: 'stand-in', contents: 'Slides?', config });
  await client.close();
  const parts = inputs[2].contents.flatMap((content) => content.parts);
  const [answer, error] = parts
    .flatMap(({ functionResponse }) => functionResponse ?? [])
    .map(({ response }) => response);
  const declared = inputs[0].tools.flatMap(({ functionDeclarations }) => functionDeclarations);
  return { tools: declared.map(({ name }) => name), answer, error };
}

function reply(call) {
  const part = call ? { functionCall: { name: call.name, args: call.arguments } } : { text: 'Three.' };
  return Response.json({ candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }] });
}
