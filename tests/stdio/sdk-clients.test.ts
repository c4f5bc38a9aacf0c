import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtBin } from '../helpers/clients.js';
import { fixture } from '../helpers/files.js';

const INFO = { name: 'test', version: '1.0.0' };
const CALL = { name: 'probe', arguments: { path: fixture('deck.pptx') } };

/** The transports' way to the server's stdin, which their types keep to themselves. */
function write(transport: object, line: string): void {
  const { _process: child } = transport as { _process?: { stdin?: NodeJS.WritableStream } };
  child?.stdin?.write(line);
}

/** A client of each version of the SDK over the built bin, with the errors it is told of. */
const CLIENTS = {
  'version 1': async () => {
    const client = new FirstClient(INFO);
    const transport = new FirstStdioClientTransport(builtBin({}));
    return { client, transport, connect: () => client.connect(transport) };
  },
  'version 2 over 2025-11-25': async () => {
    const client = new Client(INFO, { versionNegotiation: { mode: 'legacy' } });
    const transport = new StdioClientTransport(builtBin({}));
    return { client, transport, connect: () => client.connect(transport) };
  },
  'version 2 over 2026-07-28': async () => {
    const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const transport = new StdioClientTransport(builtBin({}));
    return { client, transport, connect: () => client.connect(transport) };
  },
};

describe.each(Object.entries(CLIENTS))("the SDK's client of %s", (_, make) => {
  it('is told of an error whose id is null, and goes on', async () => {
    const { client, transport, connect } = await make();
    const errors: Error[] = [];
    client.onerror = (error: Error) => errors.push(error);
    await connect();
    onTestFinished(() => client.close());
    write(transport, 'hello\n[]\n{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}\n');
    for (let round = 0; round < 2; round += 1) {
      const answer = await client.callTool(CALL);
      expect(answer.structuredContent).toMatchObject({ status: 'ok' });
    }
    expect(errors).toHaveLength(3);
  });
});
