// A bridge from Streamable HTTP to stdio: each session gets a server process of its own, and messages pass unchanged.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** Listens on a free port of this machine; resolves to the address and what closes it, sessions included. */
export async function openBridge(server) {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id']);
    const transport = known ?? (await openSession(server, sessions));
    await transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const close = async () => {
    await Promise.all([...sessions.values()].map((transport) => transport.close()));
    http.closeAllConnections();
    http.close();
  };
  return { url: `http://127.0.0.1:${http.address().port}/mcp`, close };
}

async function openSession(server, sessions) {
  const stdio = new StdioClientTransport({ ...server, stderr: 'ignore' });
  const http = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, http),
  });
  const unanswered = new Set();
  http.onmessage = (message) => {
    if (message.id !== undefined && message.method !== undefined) unanswered.add(message.id);
    return stdio.send(message);
  };
  stdio.onmessage = (message) => {
    if (message.method === undefined) unanswered.delete(message.id);
    return http.send(message);
  };
  http.onclose = () => {
    sessions.delete(http.sessionId);
    return stdio.close();
  };
  stdio.onclose = async () => {
    // A client would wait for these until its own time is up.
    const error = { code: -32000, message: 'the server has ended' };
    await Promise.all([...unanswered].map((id) => http.send({ jsonrpc: '2.0', id, error })));
    await http.close();
  };
  await Promise.all([stdio.start(), http.start()]);
  return http;
}
