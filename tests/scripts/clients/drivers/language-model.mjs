// The stand-in behind the AI SDK's interface of a language model, which Mastra uses, too.

/**
 * A language model of a version of that interface (`v2` or `v3`) that asks for what `turn` tells and else says a word.
 */
export function languageModel(turn, version) {
  const end = (call) => ({ finishReason: reason(call ? 'tool-calls' : 'stop', version), usage: usage(version) });
  return {
    specificationVersion: version,
    provider: 'stand-in',
    modelId: 'stand-in',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const call = turn(prompt);
      return { content: [call ? toPart(call) : { type: 'text', text: 'Three.' }], ...end(call), warnings: [] };
    },
    async doStream({ prompt }) {
      const call = turn(prompt);
      const parts = call ? [toPart(call)] : TEXT;
      const stream = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', ...end(call) }];
      return { stream: ReadableStream.from(stream) };
    },
  };
}

/** The output of each tool call in a prompt, in order. */
export function toolOutputs(prompt) {
  const parts = prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
  return parts.filter(({ type }) => type === 'tool-result').map(({ output }) => output);
}

const TEXT = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'Three.' },
  { type: 'text-end', id: '1' },
];

function toPart(call) {
  return { type: 'tool-call', toolCallId: call.id, toolName: call.name, input: JSON.stringify(call.arguments) };
}

function reason(unified, version) {
  return version === 'v2' ? unified : { unified, raw: unified };
}

function usage(version) {
  return version === 'v2'
    ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    : { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
}
