import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Config } from '../config.js';
import type { ProbeOptions } from '../engine/types.js';
import type { Call, Engine } from '../engine.js';
import { failed } from '../errors.js';
import type { Paths } from '../paths.js';
import { probeBatchInput, probeBatchOutput, toolInput, toolOutput } from '../schemas.js';
import { BatchAnswer } from './batch-answer.js';
import { ANNOTATIONS, answerCall, sizeOf } from './call.js';
import { Progress } from './progress.js';
import { toToolResult } from './result.js';

const DESCRIPTION =
  'The facts of probe for many local documents in one call: reports has one entry for each path, in order: its report or its own error; one bad file does not stop the rest. Across formats use selectors: ["@security"] with level "deep", or ["@all"]. About 1 KB a file, 2.5 KB with @all at deep: 40 such files fill 25,000 tokens. Tell the user which files gave errors, by error.code; a file with an error was not checked.';

/** Registers `probe_batch`: many documents, one engine process while all goes well, one entry a path. */
export function registerProbeBatch(server: McpServer, parts: BatchParts): void {
  const { engine, config } = parts;
  server.registerTool(
    'probe_batch',
    {
      title: 'Probe many documents',
      description: DESCRIPTION,
      inputSchema: toolInput(() => probeBatchInput(config.maxBatch)),
      outputSchema: toolOutput(probeBatchOutput),
      annotations: ANNOTATIONS,
      // One host cuts results short unless it is told that this tool's may be long.
      _meta: { 'anthropic/maxResultSizeChars': 500_000 },
    },
    (input, context) =>
      answerCall(engine, context, input, ({ paths, view = 'values', ...options }, call) =>
        probeAll(paths, { ...options, view }, parts, call, context),
      ),
  );
}

interface BatchParts {
  readonly engine: Engine;
  readonly config: Config;
  readonly paths: Paths;
}

async function probeAll(
  paths: readonly string[],
  options: ProbeOptions,
  parts: BatchParts,
  call: Call,
  context: ServerContext,
): Promise<CallToolResult> {
  const { engine } = parts;
  const progress = new Progress(context, paths.length);
  const checked = await parts.paths.checkAll(paths, call);
  const refused = checked.filter((each) => 'failure' in each);
  for (const _ of refused) progress.settle();

  const resultContext = {
    options,
    // Asked at each entry: the engine may be found in the course of the call.
    get toolVersion() {
      return engine.version;
    },
  };
  const answer = new BatchAnswer(paths, resultContext);
  let next = 0;
  const addRefused = () => {
    for (let each = checked[next]; each !== undefined && 'failure' in each; each = checked[next]) {
      answer.add(failed(each.failure));
      next += 1;
    }
  };
  addRefused();
  const inputs = checked.flatMap((each) => ('input' in each ? each.input : []));
  const failure =
    inputs.length === 0
      ? undefined
      : await engine.probeBatch(inputs, options, call, (outcome) => {
          answer.add(outcome, sizeOf(checked[next]));
          next += 1;
          addRefused();
          progress.settle();
        });
  await progress.finish();
  return failure === undefined ? answer.toResult() : toToolResult(failed(failure), resultContext);
}
