// The clients, each with the versions of what is installed for it, and what is expected of each run of one.

/** The Node that clients run on, unless the running one is of that major version or later: several ask for it. */
export const CLIENT_NODE = '24.15.0';

/** What a run hands on: a tool's whole result, for a program to choose from, or what a model is told. */
export const RESULT = 'result';
export const MODEL = 'model';
const WHOLE_RESULT = 'It hands on the whole result, text and structured content, as JSON.';

/**
 * `install`: exact versions, the client's own first. `runs`: what the driver is run with, the revision that has to be
 * negotiated (`impatient`: or which, where the server is slow to start), and what is handed on. `twice`: why a model
 * gets two copies of an answer whatever the server sends.
 */
export const CLIENTS = [
  {
    name: 'inspector',
    title: 'Inspector CLI',
    install: { '@modelcontextprotocol/inspector': '2.12.0' },
    runs: [
      { variant: 'legacy', revision: '2025-11-25', hands: RESULT },
      { title: '`--protocol-era modern`', variant: 'modern', revision: '2026-07-28', hands: RESULT },
    ],
  },
  {
    name: 'mcporter',
    title: 'mcporter',
    install: { mcporter: '0.12.3' },
    runs: [
      { revision: '2025-11-25', hands: MODEL },
      { title: '`--output text`', variant: 'text', revision: '2025-11-25', hands: MODEL },
    ],
  },
  {
    name: 'sdk-1',
    title: 'TypeScript SDK, version 1',
    install: { '@modelcontextprotocol/sdk': '1.32.2' },
    runs: [{ revision: '2025-11-25', hands: RESULT }],
  },
  {
    name: 'sdk-2',
    title: 'TypeScript SDK, version 2',
    install: { '@modelcontextprotocol/client': '2.4.0' },
    runs: [
      { title: 'legacy', variant: 'legacy', revision: '2025-11-25', hands: RESULT },
      { title: 'pinned', variant: '2026-07-28', revision: '2026-07-28', hands: RESULT },
    ],
  },
  {
    name: 'ai-sdk',
    title: 'AI SDK, `@ai-sdk/mcp`',
    install: { '@ai-sdk/mcp': '2.0.99', ai: '7.0.173', zod: '4.6.7' },
    runs: [
      {
        revision: '2026-07-28',
        impatient: {
          revision: '2025-11-25',
          note: 'It speaks 2025-11-25 where a server does not answer within a second, as on a busy machine.',
        },
        hands: MODEL,
      },
    ],
  },
  {
    name: 'langchain',
    title: 'LangChain adapters',
    install: { '@langchain/mcp-adapters': '1.1.4', '@langchain/core': '1.4.0', '@langchain/langgraph': '1.7.3' },
    runs: [
      {
        revision: '2025-11-25',
        hands: MODEL,
        twice:
          'The adapter puts the structured content into the text block, and LangChain writes such a block out as JSON.',
      },
    ],
  },
  {
    name: 'openai-agents',
    title: 'OpenAI Agents',
    install: { '@openai/agents': '0.20.0', '@modelcontextprotocol/client': '2.4.0', zod: '4.6.7' },
    runs: [{ revision: '2026-07-28', hands: MODEL }],
  },
  {
    name: 'mastra',
    title: 'Mastra',
    install: { '@mastra/mcp': '2.0.0', '@mastra/core': '1.71.0' },
    runs: [{ variant: 'v3', revision: '2026-07-28', hands: MODEL }],
  },
  {
    name: 'mastra-0',
    title: 'Mastra, before version 1',
    driver: 'mastra',
    install: { '@mastra/mcp': '0.14.5', '@mastra/core': '0.24.9' },
    runs: [{ variant: 'v2', revision: '2025-11-25', hands: MODEL }],
  },
  {
    name: 'llamaindex',
    title: 'LlamaIndex, `@llamaindex/tools`',
    install: { '@llamaindex/tools': '0.2.1', '@llamaindex/core': '0.6.23', '@llamaindex/env': '0.1.31' },
    runs: [{ revision: '2025-11-25', hands: MODEL, twice: WHOLE_RESULT }],
  },
  {
    name: 'genkit',
    title: 'Genkit, `@genkit-ai/mcp`',
    install: { '@genkit-ai/mcp': '1.42.0', genkit: '1.42.0' },
    runs: [{ revision: '2025-11-25', hands: MODEL }],
  },
  {
    name: 'google-genai',
    title: 'Google Gen AI SDK',
    install: { '@google/genai': '2.32.0', '@modelcontextprotocol/sdk': '1.32.2' },
    runs: [{ revision: '2025-11-25', hands: MODEL, twice: WHOLE_RESULT }],
  },
  {
    name: 'google-adk',
    title: 'Google ADK',
    install: { '@google/adk': '2.0.0', '@modelcontextprotocol/sdk': '1.32.2' },
    runs: [{ revision: '2025-11-25', hands: MODEL, twice: WHOLE_RESULT }],
  },
  {
    name: 'anthropic',
    title: 'Anthropic SDK, MCP helper',
    install: { '@anthropic-ai/sdk': '1.14.0', '@modelcontextprotocol/sdk': '1.32.2' },
    runs: [{ revision: '2025-11-25', hands: MODEL }],
  },
];

/** The conformance suite, and its scenarios that need nothing of a server but what this one has. */
export const CONFORMANCE = {
  name: 'conformance',
  title: 'Conformance',
  install: { '@modelcontextprotocol/conformance': '0.1.16', '@modelcontextprotocol/sdk': '1.32.2' },
  runs: [{ scenarios: ['server-initialize', 'ping', 'tools-list', 'resources-list'] }],
};
