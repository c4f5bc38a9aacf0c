import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Output } from '../../src/stdio/output.js';
import { StdioTransport } from '../../src/stdio/transport.js';

describe('a handler of messages that throws', () => {
  it('costs its own message only: a request is answered with an error, a notification with nothing', async () => {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const output = new Output(stdout);
    const errors: string[] = [];
    const transport = new StdioTransport({ stdin, stdout, output, onRefused: () => {} });
    transport.onerror = ({ message }) => void errors.push(message);
    transport.onmessage = (message) => {
      if ('method' in message && message.method !== 'ping') throw new Error(`no ${message.method}`);
      if ('id' in message && message.id !== undefined)
        void transport.send({ jsonrpc: '2.0', id: message.id, result: {} });
    };
    await transport.start();
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    stdin.write('{"jsonrpc":"2.0","id":1,"method":"tea"}\n{"jsonrpc":"2.0","method":"coffee"}\n');
    stdin.end('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
    // The end of input closes the connection as soon as nothing is unanswered.
    await closed;
    stdout.end();
    const answers: Buffer[] = [];
    stdout.on('data', (chunk) => answers.push(chunk));
    await once(stdout, 'end');
    const messages = Buffer.concat(answers).toString('utf8').trim().split('\n');
    expect(messages.map((line) => JSON.parse(line))).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'the server cannot take this request' } },
      { jsonrpc: '2.0', id: 2, result: {} },
    ]);
    expect(errors).toEqual(['no tea', 'no coffee']);
  });
});
