/*
 * The WebAssembly engine behind the native engine's command line. It is synchronous and holds a document in memory, so
 * it runs in a process of its own, where a deadline, a kill and a crash are what they are for the native engine.
 */
import { writeSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { LineReader } from '../read/index.js';
import type { JsonObject } from '../types.js';
import { type Command, type ProbeRequest, parseCommandLine } from './command-line.js';
import { SDK_PACKAGE } from './index.js';
import type { DeckProbeSdk } from './sdk.js';
import { findSource, invalidRequest, readSource, type SourceError } from './source.js';
import { valuesView } from './values-view.js';

/** Beyond what the engine gives by itself, so that the server takes it for a crash. */
const CRASH_STATUS = 70;

try {
  const sdk: DeckProbeSdk = await import(SDK_PACKAGE);
  process.exitCode = await run(parseCommandLine(process.argv.slice(2)), sdk);
} catch (error) {
  process.stderr.write(`deckprobe (WebAssembly): ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = CRASH_STATUS;
}

/** Carries out one command; returns the exit status that the native engine would have. */
async function run(command: Command, sdk: DeckProbeSdk): Promise<number> {
  switch (command.kind) {
    case 'version':
      print(`deckprobe ${await sdk.version()}`);
      return 0;
    case 'formats':
    case 'schema':
      return printJson(await sdk[command.kind]());
    case 'targets':
      return printJson(await sdk.targets(command.format));
    case 'probe':
      return printJson(await probe(sdk, command.path, basename(command.path), command.request));
    case 'jsonl':
      return probeRecords(sdk, command.request);
  }
}

async function probeRecords(sdk: DeckProbeSdk, request: ProbeRequest): Promise<number> {
  let status = 0;
  const pending: string[] = [];
  // readline would also break lines at U+2028, which a file name may hold.
  const lines = new LineReader((line) => pending.push(line) > 0);
  for await (const chunk of process.stdin) {
    lines.add(chunk);
    for (let line = pending.shift(); line !== undefined; line = pending.shift()) {
      const { path, name = basename(path) }: { path: string; name?: string } = JSON.parse(line);
      const answer = await probe(sdk, path, name, request);
      const echoed = answer.status === 'error' ? { ...answer, input: { path } } : answer;
      status = Math.max(status, printJson(echoed));
    }
  }
  return status;
}

async function probe(sdk: DeckProbeSdk, path: string, name: string, request: ProbeRequest): Promise<JsonObject> {
  if (request.refusal !== undefined) return envelope(sdk, invalidRequest(request.refusal));
  const found = await findSource(path);
  if ('error' in found) return envelope(sdk, found.error);
  // The SDK refuses a name without a dot; with one in front it has no extension either, and the engine says so. As in
  // the native engine that is said before the file is opened.
  const options = { ...request.options, name: name.includes('.') ? name : `.${name}` };
  if (extname(options.name) === '') return sdk.probe(new Uint8Array(), options);
  const source = await readSource(path, found.size);
  if ('error' in source) return envelope(sdk, source.error);
  const report = await sdk.probe(source.bytes, options);
  return request.values ? valuesView(report) : report;
}

async function envelope(sdk: DeckProbeSdk, error: SourceError): Promise<JsonObject> {
  return { schema_version: 2, tool_version: await sdk.version(), status: 'error', error };
}

/** Prints an answer; returns the exit status that belongs to it. */
function printJson(answer: JsonObject): number {
  print(JSON.stringify(answer));
  const { exit_code } = Object(answer.error) as { exit_code?: unknown };
  return typeof exit_code === 'number' ? exit_code : 0;
}

/** Whole and at once: the process may not live to write later. */
function print(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
}
