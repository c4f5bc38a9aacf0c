// Bundles programs of src with the packages that they use, one file each: what is needed later is in it as well and only run
// later, since a file that cannot be read once (no descriptor is free) is never read again. Not minified: people read what they run.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { leaveOut } from './left-out.mjs';

export const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));

/** The programs that the server starts beside itself, by their places in src and in a folder of programs. */
const RUNNERS = ['engine/wasm/runner', 'filesystem/runner'];

/**
 * Writes a program, and the runners that it starts, into a folder.
 * @param entry the program's place in src, without its ending.
 * @returns every source that is part of what was written, by its path from the project's folder.
 */
export async function bundleProgram(entry, outdir) {
  const written = await Promise.all([bundle([entry], outdir), bundle(RUNNERS, outdir)]);
  const outputs = written.flatMap(({ metafile }) => Object.values(metafile.outputs));
  const parts = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  );
  return [...new Set(parts.map(([name]) => name))].sort();
}

function bundle(entries, outdir) {
  return build({
    absWorkingDir: PROJECT,
    entryPoints: entries.map((entry) => ({ in: `src/${entry}.ts`, out: entry })),
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    plugins: [ownAddresses(), leaveOut()],
  });
}

/**
 * Each module of src goes by the address that it has in a build by tsc, wherever its code is put: they find package.json
 * and the runners from there. Programs lie side by side, but for the runners, which ask for no address.
 */
function ownAddresses() {
  const source = path.join(PROJECT, 'src');
  return {
    name: 'own-addresses',
    setup: (builder) =>
      builder.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path: file }) => {
        if (!file.startsWith(source)) return undefined;
        const place = path.relative(source, file).split(path.sep).join('/').replace(/\.ts$/, '.js');
        const contents = (await readFile(file, 'utf8')).replaceAll(
          'import.meta.url',
          `new URL('./${place}', import.meta.url).href`,
        );
        return { contents, loader: 'ts' };
      }),
  };
}
