import { McpServer } from '@modelcontextprotocol/server';
import type { Config } from './config.js';
import type { Engine } from './engine.js';
import { INSTRUCTIONS } from './instructions.js';
import { registerProbe } from './tools/probe.js';
import { serverVersion } from './version.js';

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
      capabilities: { tools: { listChanged: false } },
    },
  );
  registerProbe(server, parts);
  return server;
}
