import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { ProbeOptions } from '../../src/engine/types.js';
import { initialize, type Server, sendCall, startBin } from './bin.js';
import type { Json } from './engines.js';
import { fixture, temporaryFolder } from './files.js';
import { installServer, REAL_SDK } from './installation.js';

/** Which WebAssembly engine the tests run over. */
export const WHICH = REAL_SDK === undefined ? 'a stand-in for the package' : 'the installed package';

// TEST_CORPUS names a folder of real documents to take as well.
const FOLDERS = [fixture('.'), ...(process.env.TEST_CORPUS ? [path.resolve(process.env.TEST_CORPUS)] : [])];

/** The documents over which WebAssembly and the native engine are compared. */
export const DOCUMENTS = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => path.join(folder, name)),
);

export const OPTION_SETS: ProbeOptions[] = [
  {},
  { view: 'values' },
  { targets: ['@all'], level: 'deep', view: 'values' },
  { targets: ['@all'], level: 'deep', min_confidence: 'low' },
  { targets: ['@summary,@security', 'document.title'], level: 'header' },
  { targets: ['document.title'], target_confidence: { 'document.title': 'exact' }, view: 'values' },
  { budget: { max_physical_bytes: 2000, max_expanded_bytes: 5000, max_archive_entries: 9, timeout_ms: 60_000 } },
];

interface Answer {
  readonly value: Json;
  readonly isError: boolean;
  readonly code: string | undefined;
}

export interface Installed {
  readonly folder: string;
  readonly server: Server;
  call(name: string, args: Json): Promise<Answer>;
}

/** A running server of an installation without a native engine, and nothing on PATH. */
export async function startInstalled(
  install: (folder: string) => void,
  env: NodeJS.ProcessEnv = {},
): Promise<Installed> {
  const folder = temporaryFolder();
  const main = installServer(folder);
  install(folder);
  const server = startBin([], { PATH: '', ...env }, { main });
  await initialize(server);
  let next = 1;
  return {
    folder,
    server,
    call: async (name, args) => {
      const id = next++;
      sendCall(server, id, name, args);
      const { result } = (await server.answer(id)) as { result: { structuredContent: Json; isError?: boolean } };
      const { hint: _, ...value } = result.structuredContent;
      const { error } = value as { error?: { code: string } };
      return { value, isError: result.isError === true, code: error?.code };
    },
  };
}

/** A report without what differs under WebAssembly: where the bytes came from, and what they cost. */
export function comparable(report: Json): Json {
  const { input, execution, results, ...rest } = structuredClone(report) as Record<string, Json | undefined>;
  if (input !== undefined) delete input.source_kind;
  if (execution !== undefined) delete execution.actual_cost;
  for (const target of ['document.extension', 'document.extension_matches', 'document.file_size'])
    delete (results?.[target] as Json | undefined)?.source;
  return { ...rest, input, execution, results };
}
