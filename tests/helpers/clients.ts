import { type CallToolResult, Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { type Config, loadConfig } from '../../src/config.js';
import { createEngine, type Engine } from '../../src/engine.js';
import { buildServer } from '../../src/server.js';
import type { Json } from './engines.js';
import { MAIN } from './files.js';
import { until } from './waiting.js';

export interface Session {
  readonly client: Client;
  readonly engine: Engine;
  /** What the server told its operator. */
  readonly log: string[];
}

/** A client over an in-memory transport, with an engine of its own. */
export async function connect(settings: Partial<Config> = {}, env?: NodeJS.ProcessEnv): Promise<Session> {
  const config = { ...loadConfig({}), ...settings };
  const log: string[] = [];
  const engine = createEngine(config, { log: (line) => log.push(line), ...(env && { env }) });
  const server = buildServer({ engine, config });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  onTestFinished(async () => {
    await client.close();
    await engine.close();
  });
  return { client, engine, log };
}

/** Resolves once the session's engine is found: for tests whose calls are not to spend their time on that. */
export async function engineFound({ engine, log }: Session): Promise<void> {
  engine.start();
  await until(
    () => engine.version !== undefined,
    () => `no engine found: ${log.join('; ')}`,
  );
}

export type Era = '2025-06-18' | '2025-11-25' | '2026-07-28';
export const ERAS: readonly Era[] = ['2025-06-18', '2025-11-25', '2026-07-28'];

/** How a client's stdio transport starts the built bin. */
export function builtBin(env: Record<string, string>) {
  return {
    command: process.execPath,
    args: [MAIN],
    env: { PATH: process.env.PATH ?? '', ...env },
    stderr: 'ignore' as const,
  };
}

/** The error code, or else the status, of each entry of a batch's answer. */
export function entryOutcomes({ reports }: Json): string[] {
  const entries = reports as { report: { status: string; error?: { code: string } } }[];
  return entries.map(({ report }) => report.error?.code ?? report.status);
}

/** A client of one protocol revision over the built bin. */
export async function spawnServer(era: Era, env: Record<string, string> = {}): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    era === '2026-07-28'
      ? { versionNegotiation: { mode: { pin: era } } }
      : { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [era] },
  );
  await client.connect(new StdioClientTransport(builtBin(env)));
  onTestFinished(() => client.close());
  return client;
}

/** Every message that the server sends from now on, as it arrives: also those that the client makes nothing of. */
export function watch({ transport }: Client): Json[] {
  if (transport === undefined) throw new Error('the client is not connected');
  const seen: Json[] = [];
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    seen.push({ ...message });
    onmessage?.(message, extra);
  };
  return seen;
}

/** Calls a tool and returns its result in the one form that all tools here give. */
export async function call(client: Client, name: string, args?: Json): Promise<ToolAnswer> {
  const result = (await client.callTool({ name, ...(args && { arguments: args }) })) as CallToolResult;
  const [block] = result.content;
  if (result.content.length !== 1 || block?.type !== 'text') throw new Error('expected one text block');
  const [, json = block.text, hint] = /^([\s\S]*)\nHint: (.*)$/.exec(block.text) ?? [];
  const isError = result.isError === true;
  // Some hosts hand on the text alone and some the structured content alone: an error's hint stands in both.
  const { hint: structuredHint, ...value } = (result.structuredContent ?? {}) as Json;
  if (structuredHint !== hint) throw new Error(`the hint differs: ${JSON.stringify([hint, structuredHint])}`);
  return { value, isError, text: block.text, json, hint, code: (value.error as { code?: string } | undefined)?.code };
}

export interface ToolAnswer {
  readonly value: Json;
  readonly isError: boolean;
  /** The text block, whole, and its JSON part. */
  readonly text: string;
  readonly json: string;
  readonly hint: string | undefined;
  readonly code: string | undefined;
}
