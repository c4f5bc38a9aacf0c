import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Config, ConfigError } from './config.js';
import { createEngine } from './engine.js';
import { clip } from './errors.js';
import { Paths } from './paths.js';
import { buildServer } from './server.js';
import { Output } from './stdio/output.js';
import { type StandardStreams, standardStreams } from './stdio/standard-streams.js';
import { StdioTransport } from './stdio/transport.js';

/** This long after the connection is closed the process ends, whatever still holds it, milliseconds. */
const SHUTDOWN_LIMIT_MS = 1500;
/** At the end a look at a file that is still under way has this long to come back, milliseconds. */
const LINGER_MS = 200;
/** This long after the end of input the process ends, milliseconds: the time for calls under way is part of it. */
const INPUT_END_LIMIT_MS = 1800;
/** What the operator does not read is kept up to this many bytes. */
const UNREAD_LOG_LIMIT = 1024 * 1024;
/** When no client has said anything for this long, the look for the engine starts all the same, milliseconds. */
const QUIET_MS = 200;

/**
 * Serves on standard input and output until either ends or a signal comes; the whole of a process that an MCP client has
 * started. Settings that cannot be used end it with status 2 and one line on stderr.
 * @param settings reads the settings; may throw a ConfigError.
 */
export function start(settings: () => Config): void {
  const streams = standardStreams();
  // A host that closes stderr must not end the server.
  streams.stderr.on('error', () => {});
  const log = logTo(streams.stderr);
  try {
    serve(settings(), streams, log);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log(error.message);
    process.exitCode = 2;
  }
}

function serve(config: Config, streams: StandardStreams, log: (line: string) => void): void {
  const { stdin } = process;
  const { stdout } = streams;
  const output = new Output(stdout);
  const engine = createEngine(config, { log, output });
  const transport = new StdioTransport({ stdin, stdout, output, onRefused: ({ message }) => log(dropped(message)) });
  const mustBeKilled = () => engine.files.hasOpenLooks || streams.hasOpenWrites();
  let closing = false;
  const shutDown = async () => {
    if (closing) return;
    closing = true;
    endAfter(SHUTDOWN_LIMIT_MS, mustBeKilled);
    await Promise.all([engine.close(), handle.close()]);
    stdin.destroy();
    // What the client has not read yet is not to be cut short by a look at a file.
    if (output.unread > 0 && !stdout.destroyed) await once(stdout, 'drain').catch(() => {});
    if (engine.files.hasOpenLooks) endAfter(LINGER_MS, mustBeKilled);
  };
  const build = () => {
    // The look for the engine starts once the client has its first answer, or says nothing.
    engine.start();
    return buildServer({ engine, config });
  };
  const handle = serveStdio(build, { transport, onerror: (error) => log(oneLine(error.message)) });
  setTimeout(() => engine.start(), QUIET_MS).unref();

  stdin.once('end', () => endAfter(INPUT_END_LIMIT_MS, mustBeKilled));
  // serveStdio has no hook of its own for the end of the connection: end of input, a closed stdout.
  const onclose = transport.onclose;
  transport.onclose = () => {
    onclose?.();
    void shutDown();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void shutDown());

  if (process.stdin.isTTY) log('waiting for an MCP client on standard input; --help tells more, Ctrl-C ends it');
  for (const warning of config.warnings) log(`warning: ${warning}`);
  if (config.roots !== undefined) {
    const paths = new Paths({ roots: config.roots, files: engine.files });
    void paths.describeRoots().then((lines) => lines.forEach(log));
  }
}

/**
 * Ends the process in some milliseconds, unless it has ended by itself. An exit waits for every thread, and one that hangs
 * in the kernel (a look at a network share that is gone; on Windows a write that nobody reads) never comes: then nothing
 * but SIGKILL is left.
 */
function endAfter(ms: number, mustBeKilled: () => boolean): void {
  const exit = () => {
    if (mustBeKilled()) process.kill(process.pid, 'SIGKILL');
    process.exit(0);
  };
  setTimeout(exit, ms).unref();
}

/** Writes lines for the operator. stdout belongs to the protocol. */
function logTo(stderr: Writable): (line: string) => void {
  return (line) => {
    if (stderr.writableLength > UNREAD_LOG_LIMIT) return;
    stderr.write(`deckprobe-mcp: ${line}\n`);
  };
}

function dropped(reason: string): string {
  return `a line that is not a JSON-RPC message was dropped: ${oneLine(reason)}`;
}

function oneLine(text: string): string {
  return clip(text).replace(/\s+/g, ' ');
}
