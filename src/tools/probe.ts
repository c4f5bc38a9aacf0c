import type { McpServer } from '@modelcontextprotocol/server';
import type { Config } from '../config.js';
import type { Engine } from '../engine.js';
import { failed } from '../errors.js';
import type { Paths } from '../paths.js';
import { probeInput, probeOutput, toolInput, toolOutput } from '../schemas.js';
import { ANNOTATIONS, answerCall, sizeOf } from './call.js';
import { toToolResult } from './result.js';

const DESCRIPTION =
  'Facts about one local document: slide, page, sheet and word counts, sheet names, author, dates, application, encryption, macros, scripts, signatures, image and media counts. Reads PDF, Word, Excel, PowerPoint (also .doc .xls .ppt), Keynote, Numbers, Pages; returns no text or pictures. Unsure: targets ["@summary"]; for most questions ["@all"], level "deep", view "values". Null, absent or unresolved is unknown, never no, zero or safe; of an encrypted file believe the rest only if password_protected is false and page_count above 0. Not told: who signed, sheet protection, which sheets are hidden, names of attachments and links, fonts, tracked changes.';

interface ProbeParts {
  readonly engine: Engine;
  readonly config: Config;
  readonly paths: Paths;
}

/** Registers `probe`: one document, one engine process, the engine's JSON as it is. */
export function registerProbe(server: McpServer, { engine, config, paths }: ProbeParts): void {
  server.registerTool(
    'probe',
    {
      title: 'Probe a document',
      description: DESCRIPTION,
      inputSchema: toolInput(() => probeInput(config.roots)),
      outputSchema: toolOutput(probeOutput),
      annotations: ANNOTATIONS,
    },
    (input, context) =>
      answerCall(engine, context, input, async ({ path, ...options }, call) => {
        const checked = await paths.check(path, call);
        const outcome =
          'failure' in checked ? failed(checked.failure) : await engine.probe(checked.input, options, call);
        return toToolResult(outcome, { toolVersion: engine.version, path, options, ...sizeOf(checked) });
      }),
  );
}
