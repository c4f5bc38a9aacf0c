import { McpServer } from '@modelcontextprotocol/server';
import type { Config } from './config.js';
import type { Engine } from './engine.js';
import { INSTRUCTIONS } from './instructions.js';
import { Paths } from './paths.js';
import { registerDiscovery } from './tools/discovery.js';
import { registerProbe } from './tools/probe.js';
import { registerProbeBatch } from './tools/probe-batch.js';
import { serverVersion } from './version.js';

/** For 2026-07-28 clients. Private, since the lists depend on the operator's settings. */
const LIST_CACHE = { ttlMs: 3_600_000, cacheScope: 'private' } as const;

export interface ServerParts {
  readonly engine: Engine;
  readonly config: Config;
}

/** Builds one MCP server over an engine that may be shared by several; starts nothing. */
export function buildServer(parts: ServerParts): McpServer {
  const server = new McpServer(
    { name: 'deckprobe', title: 'DeckProbe', version: serverVersion() },
    {
      instructions: INSTRUCTIONS,
      // Nothing that is listed changes while the server runs.
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      cacheHints: { 'tools/list': LIST_CACHE, 'resources/list': LIST_CACHE },
    },
  );
  const paths = new Paths({ roots: parts.config.roots, files: parts.engine.files });
  registerProbe(server, { ...parts, paths });
  registerProbeBatch(server, { ...parts, paths });
  registerDiscovery(server, parts);
  return server;
}
