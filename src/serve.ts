import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Config, ConfigError } from './config.js';
import { createEngine, type Engine } from './engine.js';
import { clip } from './errors.js';
import { Paths } from './paths.js';
import { buildServer } from './server.js';

/** After this long the process ends, whatever still holds it, milliseconds. */
const SHUTDOWN_LIMIT_MS = 1500;
/** After its end a process has this long to exit by itself, milliseconds. */
const LINGER_MS = 200;
/** When no client has said anything for this long, the look for the engine starts all the same, milliseconds. */
const QUIET_MS = 200;

/**
 * Serves on standard input and output until either ends or a signal comes; the whole of a process that an MCP client has
 * started. Settings that cannot be used end it with status 2 and one line on stderr.
 * @param settings reads the settings; may throw a ConfigError.
 */
export function start(settings: () => Config): void {
  // A host that closes stderr must not end the server.
  process.stderr.on('error', () => {});
  // Each answer that a slow client has not read yet waits with listeners of the SDK's on stdout.
  process.stdout.setMaxListeners(0);
  try {
    serve(settings());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log(error.message);
    process.exitCode = 2;
  }
}

function serve(config: Config): void {
  const engine = createEngine(config, { log });
  const transport = new StdioServerTransport();
  let closing = false;
  const shutDown = async () => {
    if (closing) return;
    closing = true;
    setTimeout(() => exit(engine), SHUTDOWN_LIMIT_MS).unref();
    await Promise.all([engine.close(), handle.close()]);
    process.stdin.destroy();
    setTimeout(() => exit(engine), LINGER_MS).unref();
  };
  const build = () => {
    // The look for the engine starts once the client has its first answer, or says nothing.
    setImmediate(() => engine.start());
    return buildServer({ engine, config });
  };
  const handle = serveStdio(build, { transport, onerror: (error) => log(reason(error)) });
  setTimeout(() => engine.start(), QUIET_MS).unref();

  // serveStdio has no hook of its own for the end of the connection: end of input, a closed stdout, an oversized line.
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
 * Ends the process. An exit waits for every thread, and one that hangs in the kernel (a look at a network share that is
 * gone) never comes: then nothing but SIGKILL is left.
 */
function exit({ files }: Engine): void {
  if (files.hasOpenLooks) process.kill(process.pid, 'SIGKILL');
  process.exit(0);
}

/** One line for the operator. stdout belongs to the protocol. */
function log(line: string): void {
  process.stderr.write(`deckprobe-mcp: ${line}\n`);
}

/** One line for an error of the transport; what its parser has to say of a line takes dozens. */
function reason(error: Error): string {
  if (error.name === 'ZodError' || error instanceof SyntaxError)
    return 'a line that is not a JSON-RPC message was dropped';
  return clip(error.message.replace(/\s+/g, ' '));
}
