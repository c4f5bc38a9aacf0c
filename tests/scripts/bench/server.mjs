// A server under measurement and the least client for it: one JSON line a message.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export class Server {
  constructor(main, args = []) {
    this.child = spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.waiting = new Map();
    this.id = 0;
    let rest = '';
    this.child.stdout.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) this.receive(JSON.parse(line));
    });
  }

  receive({ id, result }) {
    this.waiting.get(id)?.(result);
    this.waiting.delete(id);
  }

  request(method, params) {
    this.id += 1;
    const { id } = this;
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  }

  async initialize() {
    const clientInfo = { name: 'bench', version: '1.0.0' };
    const result = await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    return result;
  }

  /** The result of a tool. What the engine has against a document is an answer; that there is none is an error. */
  async call(params) {
    const result = await this.request('tools/call', params);
    const code = result?.structuredContent?.error?.code;
    if (result === undefined || code?.startsWith('MCP_')) throw new Error(JSON.stringify(result));
    return result;
  }

  async close() {
    const closed = new Promise((resolve) => this.child.once('close', resolve));
    this.child.stdin.end();
    await closed;
  }

  /** Resident memory in MiB, with that of its processes, and open descriptors; undefined where the system does not tell. */
  usage() {
    if (process.platform !== 'linux') return { mib: undefined, descriptors: undefined };
    const kib = treeOf(this.child.pid).reduce((sum, pid) => sum + residentKib(pid), 0);
    const descriptors = readdirSync(`/proc/${this.child.pid}/fd`).length;
    return { mib: Math.round((kib / 1024) * 10) / 10, descriptors };
  }
}

function residentKib(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

/** A process and those below it. */
function treeOf(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return [pid, ...children.flatMap((child) => treeOf(Number(child)))];
}
