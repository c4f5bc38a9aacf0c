import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { type McpbManifestAny, unpackExtension } from '@anthropic-ai/mcpb';
import { getMcpConfigForManifest } from '@anthropic-ai/mcpb/node';
import { transformSync } from 'esbuild';
import { initialize, type Place, type Server, sendCall, startBin } from './bin.js';
import { ENGINE, type Json } from './engines.js';
import { PROJECT, temporaryFolder } from './files.js';

/** What a person has set in a desktop client. */
export type UserSettings = Record<string, string | number | boolean | string[]>;

/** Why no bundle can be made here, or undefined: dependencies that were installed for another system have no bundler. */
export function whyNoBundle(): string | undefined {
  try {
    transformSync('');
    return undefined;
  } catch (error) {
    return `esbuild does not run here: ${String(error).trim().split('\n')[0]}`;
  }
}

/** Makes the bundle, with the engine packages that are installed here, in a folder. @returns its file. */
export function makeBundle(folder: string): string {
  const script = path.join(PROJECT, 'tests', 'scripts', 'bundle.mjs');
  execFileSync(process.execPath, [script, '--installed', '--out', folder], { stdio: ['ignore', 'ignore', 'pipe'] });
  const name = readdirSync(folder).find((each) => each.endsWith('.mcpb'));
  return path.join(folder, String(name));
}

/** A bundle that a client has unpacked. */
export interface Unpacked {
  readonly folder: string;
  readonly manifest: McpbManifestAny;
  /** The engine inside it. */
  readonly engine: string;
}

/** Unpacks a bundle with the official tool, into a folder of the given name. */
export async function unpackBundle(bundle: string, name = 'an extension'): Promise<Unpacked> {
  const folder = path.join(temporaryFolder(), name);
  if (!(await unpackExtension({ mcpbPath: bundle, outputDir: folder, silent: true })))
    throw new Error(`${bundle} could not be unpacked`);
  const manifest: McpbManifestAny = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'));
  const engine = path.join(
    folder,
    'node_modules/@deckflow',
    path.basename(path.dirname(path.dirname(ENGINE))),
    'bin',
    path.basename(ENGINE),
  );
  return { folder, manifest, engine };
}

/** Every file below a folder. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}

/** Gives every file the mode that a client was seen to unpack them with. */
export function forgetModes({ folder }: Unpacked): void {
  for (const file of filesBelow(folder)) chmodSync(file, 0o600);
}

/** Takes the native engine away. */
export function removeNative({ engine }: Unpacked): void {
  renameSync(path.dirname(path.dirname(engine)), path.join(temporaryFolder(), 'removed'));
}

export interface DesktopServer {
  readonly server: Server;
  /** The arguments after the program, as the client made them. */
  readonly args: readonly string[];
  call(name: string, args: Json): Promise<Json>;
}

/** Starts an unpacked bundle as its manifest says, by the published rules of substitution. */
export async function startBundle(
  { folder, manifest }: Unpacked,
  settings: UserSettings,
  env: NodeJS.ProcessEnv = {},
  place: Place = {},
): Promise<DesktopServer> {
  const config = await getMcpConfigForManifest({
    manifest,
    extensionPath: folder,
    systemDirs: {},
    userConfig: settings,
    pathSeparator: path.sep,
  });
  // The client's own runtime takes the place of "node".
  if (config?.command !== 'node') throw new Error(`the manifest starts ${config?.command}`);
  const [main = '', ...args] = config.args ?? [];
  const server = startBin(args, { ...config.env, ...env }, { ...place, main });
  await initialize(server);
  let next = 1;
  return {
    server,
    args,
    call: async (name, given) => {
      const id = next++;
      sendCall(server, id, name, given);
      const { result } = (await server.answer(id)) as { result: { structuredContent: Json } };
      return result.structuredContent;
    },
  };
}
