import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { Json } from './engines.js';
import { fixture, MAIN } from './files.js';

export interface Place {
  /** Another installation's bin. */
  readonly main?: string;
  readonly cwd?: string;
  /** A command that is to start the server, with its first arguments. */
  readonly wrapper?: readonly string[];
}

export interface Server {
  readonly child: ChildProcessWithoutNullStreams;
  /** Every message it sent, and every line of stdout that was none. */
  readonly messages: Json[];
  readonly impure: string[];
  readonly stdout: string[];
  readonly stderr: string[];
  send(message: unknown): void;
  /** The answer to a request, by its id. */
  answer(id: number): Promise<Json>;
  exit(): Promise<[number | null, NodeJS.Signals | null]>;
}

/** The built bin with its streams in the open. */
export function startBin(args: string[] = [], env: NodeJS.ProcessEnv = {}, place: Place = {}): Server {
  const [command = '', ...rest] = [...(place.wrapper ?? []), process.execPath, place.main ?? MAIN, ...args];
  const child = spawn(command, rest, { env: { PATH: process.env.PATH, ...env }, cwd: place.cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  const messages: Json[] = [];
  const impure: string[] = [];
  const stdout: string[] = [];
  const stderr: string[] = [];
  const waiting = new Map<number, (message: Json) => void>();
  child.stdout.setEncoding('utf8').on('data', (chunk) => stdout.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => stderr.push(chunk));
  child.stdin.on('error', () => {});
  createInterface(child.stdout).on('line', (line) => {
    const message = parse(line);
    if (message?.jsonrpc !== '2.0') impure.push(line);
    else {
      messages.push(message);
      if (typeof message.id === 'number') waiting.get(message.id)?.(message);
    }
  });
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    child,
    messages,
    impure,
    stdout,
    stderr,
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    answer: (id) =>
      new Promise((resolve, reject) => {
        const here = messages.find((message) => message.id === id);
        if (here !== undefined) resolve(here);
        waiting.set(id, resolve);
        exited.then(() => reject(new Error(`the server ended before it answered ${id}: ${stderr.join('')}`)));
      }),
    exit: () => exited,
  };
}

function parse(line: string): Json | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export async function initialize(server: Server): Promise<Json> {
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  server.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const answer = await server.answer(0);
  server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return answer;
}

export function sendCall(server: Server, id: number, name: string, args?: unknown): void {
  server.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
}

export function sendProbe(server: Server, id: number, file = fixture('deck.pptx')): void {
  sendCall(server, id, 'probe', { path: file });
}
