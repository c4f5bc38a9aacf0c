#!/usr/bin/env node
import { loadConfig } from './config.js';
import { start } from './serve.js';
import { serverVersion } from './version.js';

const USAGE = `Usage: deckprobe-mcp [--version | --help]

Serves the Model Context Protocol on standard input and output. An MCP client starts it; it takes no other arguments.

Environment:
  DECKPROBE_MCP_BIN              absolute path of the deckprobe engine to use
  DECKPROBE_MCP_ROOTS            folders whose documents may be read (default: all)
  DECKPROBE_MCP_TIMEOUT_MS       deadline of one call (default 30000)
  DECKPROBE_MCP_MAX_CONCURRENCY  engine processes at once (default 4)
  DECKPROBE_MCP_MAX_BATCH        paths in one probe_batch (default 64)
`;

main(process.argv.slice(2));

function main(args: readonly string[]): void {
  // A host that closes stderr must not turn the status of a usage error into a crash's.
  process.stderr.on('error', () => {});
  const [option] = args;
  if (args.length === 1 && option === '--version') {
    process.stdout.write(`${serverVersion()}\n`);
  } else if (args.length === 1 && option === '--help') {
    process.stdout.write(USAGE);
  } else if (args.length > 0) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  } else {
    start(loadConfig);
  }
}
