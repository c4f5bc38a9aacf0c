import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { JsonObject, Outcome } from '../engine/types.js';
import type { Engine } from '../engine.js';
import { toEnvelope } from '../errors.js';
import { caveatsFor } from '../gaps.js';
import { isObject } from '../json.js';
import {
  listFormatsInput,
  listFormatsOutput,
  listTargetsInput,
  listTargetsOutput,
  toolInput,
  toolOutput,
} from '../schemas.js';
import { ANNOTATIONS, answerCall } from './call.js';
import { readError, toToolResult } from './result.js';

/** How long a client may keep the report schema: it changes with the engine's version only. Milliseconds. */
const SCHEMA_TTL_MS = 86_400_000;

/** Registers `list_formats`, `list_targets` and the report schema: what the engine knows, not what a document says. */
export function registerDiscovery(server: McpServer, { engine }: { engine: Engine }): void {
  server.registerTool(
    'list_formats',
    {
      title: 'List readable formats',
      description:
        'The document formats this engine reads, by driver, with the extension profiles of each (those with macros, and xlsb, are named but refused). Only needed when unsure whether a file type can be read.',
      inputSchema: toolInput(listFormatsInput),
      outputSchema: toolOutput(listFormatsOutput),
      annotations: ANNOTATIONS,
    },
    (input, context) =>
      answerCall(engine, context, input, async (_args, call) =>
        toToolResult(await engine.formats(call), { toolVersion: engine.version }),
      ),
  );

  server.registerTool(
    'list_targets',
    {
      title: 'List targets of a format',
      description:
        'The exact target names of one document format: what each means, caveat (what not to believe of it), value type, lowest level that yields it, selectors that hold it; not_applicable lists what the format cannot tell. Call it before asking for a target by name. What counts is the format found in the file: an encrypted .xlsx has none of the Excel targets.',
      inputSchema: toolInput(listTargetsInput),
      outputSchema: toolOutput(listTargetsOutput),
      annotations: ANNOTATIONS,
    },
    (input, context) =>
      answerCall(engine, context, input, async ({ format: requested, detail = 'compact' }, call) => {
        const format = requested.replace(/^\./, '');
        const outcome = await engine.targets(format, call);
        const context = { toolVersion: engine.version, format };
        return toToolResult(detail === 'full' ? outcome : compactCatalogue(outcome), context);
      }),
  );

  server.registerResource(
    'report-schema',
    'deckprobe://schema',
    {
      title: 'Report schema',
      description:
        "JSON Schema of the engine's reports, values views and error envelopes, as probe returns them; an error of a tool has one more key, hint. Codes that begin with MCP_ are this server's own and not in it.",
      mimeType: 'application/json',
      cacheHint: { ttlMs: SCHEMA_TTL_MS, cacheScope: 'public' },
    },
    async (uri, context) => {
      const call = engine.startCall(context.mcpReq.signal);
      try {
        const outcome = await engine.schema(call);
        if (outcome.kind === 'answer' && outcome.value.status !== 'error')
          return { contents: [{ uri: uri.href, mimeType: 'application/json', text: outcome.text }] };
        throw schemaError(outcome, engine.version);
      } finally {
        call.end();
      }
    },
  );
}

/** A resource has no `isError`: its failure is a protocol error that carries the envelope. */
function schemaError(outcome: Outcome, toolVersion: string | undefined): ProtocolError {
  const envelope = outcome.kind === 'answer' ? outcome.value : toEnvelope(outcome.failure, toolVersion);
  return new ProtocolError(ProtocolErrorCode.InternalError, readError(envelope.error).message, envelope);
}

/** The catalogue without what an agent does not need to choose and name a target; anything else is left as it is. */
function compactCatalogue(outcome: Outcome): Outcome {
  if (outcome.kind === 'failure' || !Array.isArray(outcome.value.targets)) return outcome;
  const { schema_version, tool_version, status, driver, profile } = outcome.value;
  const targets: unknown[] = outcome.value.targets;
  if (!targets.every(isNamed)) return outcome;
  const caveats = caveatsFor(String(profile));
  const value = {
    schema_version,
    tool_version,
    status,
    driver,
    profile,
    targets: targets.filter(({ applicable }) => applicable).map((target) => compactTarget(target, caveats)),
    not_applicable: targets.filter(({ applicable }) => !applicable).map(({ id }) => id),
  };
  return { kind: 'answer', value, text: JSON.stringify(value) };
}

interface NamedTarget extends JsonObject {
  readonly id: string;
}

function isNamed(target: unknown): target is NamedTarget {
  return isObject(target) && typeof target.id === 'string';
}

/**
 * The last part of an id always names its target, so only other aliases are worth their bytes. A target that a known gap
 * of the engine concerns says so: agents look here for what a number means.
 */
function compactTarget(target: NamedTarget, caveats: ReadonlyMap<string, string>): JsonObject {
  const { id, description, value_type, min_level, selectors, aliases } = target;
  const caveat = caveats.get(id);
  const lastPart = id.slice(id.indexOf('.') + 1);
  const others = Array.isArray(aliases) ? aliases.filter((alias) => alias !== lastPart) : [];
  return {
    id,
    description,
    ...(caveat !== undefined && { caveat }),
    value_type,
    min_level,
    selectors,
    ...(others.length > 0 && { aliases: others }),
  };
}
