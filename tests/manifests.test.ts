import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { MCP_EXIT_CODES } from '../src/errors.js';
import { serverVersion } from '../src/version.js';
import { connect } from './helpers/clients.js';
import type { Json } from './helpers/engines.js';
import { MAIN, PROJECT } from './helpers/files.js';

const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
const json = (file: string) => JSON.parse(read(file));

/** Every file of the project that git would track; where there is no git, or no clone, those that are not ignored. */
const FILES = (tracked() ?? present()).filter((file) => file !== '' && existsSync(path.join(PROJECT, file)));

function tracked(): string[] | undefined {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const { status, stdout } = spawnSync('git', args, { cwd: PROJECT, encoding: 'utf8' });
  return status === 0 ? stdout.split('\n') : undefined;
}

/** The patterns of .gitignore are names of folders, and `*.` with an extension. */
function present(): string[] {
  const ignored = [...read('.gitignore').split('\n'), '.git/'].filter((pattern) => pattern !== '');
  const isIgnored = (name: string) =>
    ignored.some((pattern) =>
      pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : `${name}/`.startsWith(pattern),
    );
  return readdirSync(PROJECT, { withFileTypes: true })
    .filter(({ name }) => !isIgnored(name))
    .flatMap((entry) => {
      if (entry.isFile()) return entry.name;
      const names = readdirSync(path.join(PROJECT, entry.name), { recursive: true, withFileTypes: true });
      return names
        .filter((each) => each.isFile() && !isIgnored(each.name))
        .map((each) =>
          path.relative(PROJECT, path.join(each.parentPath ?? each.path, each.name)).replaceAll('\\', '/'),
        );
    });
}
const DOCUMENTS = FILES.filter((file) => file.endsWith('.md'));

describe('the manifests', () => {
  const manifest = json('package.json');
  const server = json('server.json');
  const lock = json('package-lock.json');

  it('have one version, which the server and the changelog have too', async () => {
    const { version } = manifest;
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect([
      lock.version,
      lock.packages[''].version,
      server.version,
      server.packages[0].version,
      serverVersion(),
    ]).toEqual(Array.from({ length: 5 }, () => version));
    const { client } = await connect();
    expect(client.getServerVersion()?.version).toBe(version);
    expect(read('CHANGELOG.md')).toMatch(
      new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm'),
    );
    const notes = spawnSync(process.execPath, [path.join(PROJECT, 'tests/scripts/release-notes.mjs'), `v${version}`]);
    expect(notes.status).toBe(0);
  });

  it('have one name for the package and one for the registry', () => {
    expect(manifest.name).toBe('@deckflow/deckprobe-mcp');
    expect(server.packages[0].identifier).toBe(manifest.name);
    expect(manifest.mcpName).toBe('io.github.deckflow/deckprobe');
    expect(server.name).toBe(manifest.mcpName);
    expect(manifest.repository.url).toBe(`git+${server.repository.url}.git`);
  });

  it('server.json is what the registry takes', () => {
    expect(server.$schema).toBe('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json');
    expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(server.description.length).toBeLessThanOrEqual(100);
    expect(server.title.length).toBeLessThanOrEqual(100);
    const transport = { type: 'stdio' };
    expect(server.packages).toMatchObject([
      { registryType: 'npm', transport },
      { registryType: 'mcpb', transport },
    ]);
    const [, bundle] = server.packages;
    const { version } = manifest;
    // Where the release puts the bundle. Its SHA-256 is known once it is built, so the release fills it in.
    expect(bundle).toEqual({
      registryType: 'mcpb',
      identifier: `${server.repository.url}/releases/download/v${version}/deckprobe-mcp-${version}.mcpb`,
      transport,
    });
    expect(Object.keys(server).sort()).toEqual([
      '$schema',
      'description',
      'name',
      'packages',
      'repository',
      'title',
      'version',
    ]);
  });

  it('name the same five variables everywhere, with the same defaults', () => {
    const variables: Json[] = server.packages[0].environmentVariables;
    const names = variables.map(({ name }) => String(name));
    const used = new Set(read('src/config.ts').match(/DECKPROBE_MCP_[A-Z_]+/g));
    used.delete('DECKPROBE_MCP_');
    expect(names.sort()).toEqual([...used].sort());
    const help = execFileSync(process.execPath, [MAIN, '--help'], { encoding: 'utf8' });
    for (const { name, default: fallback } of variables) {
      expect(help).toContain(String(name));
      const row = read('README.md')
        .split('\n')
        .find((line) => line.startsWith(`| \`${name}\` |`));
      expect(row, String(name)).toBeDefined();
      if (fallback === undefined) continue;
      expect(row).toContain(`\`${fallback}\``);
      expect(help).toContain(`(default ${fallback})`);
    }
  });

  it('depend at run time on the SDK and zod, and optionally on the engines', () => {
    expect(Object.keys(manifest.dependencies)).toEqual(['@modelcontextprotocol/server', 'zod']);
    expect(Object.values(manifest.optionalDependencies)).toEqual(Array.from({ length: 8 }, () => '^2.7.0'));
    expect(manifest.bin).toEqual({ 'deckprobe-mcp': 'dist/main.js' });
    expect(manifest.engines).toEqual({ node: '>=20' });
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(Object.keys(manifest.scripts).filter((script) => hooks.includes(script))).toEqual([]);
  });

  it('the programs are one file each: what would be read later may not be readable then', () => {
    for (const program of ['dist/main.js', 'dist/filesystem/runner.js']) {
      const asked = [...read(program).matchAll(/^(?:import|export) .*?["']([^"']+)["'];$|\bimport\(\s*["']([^"']+)/gm)];
      const modules = asked.map(([, named, later]) => named ?? later ?? '');
      expect(modules.length, program).toBeGreaterThan(2);
      expect(modules.filter((name) => !name.startsWith('node:'))).toEqual([]);
    }
  });

  it('the lockfile names every optional dependency and no address', () => {
    const packages: Record<string, Json> = lock.packages;
    for (const [where, entry] of Object.entries(packages)) {
      expect(entry.resolved, where).toBeUndefined();
      for (const name of Object.keys((entry.optionalDependencies ?? {}) as Json))
        expect(packages, `${where} -> ${name}: run npm run lock:engines`).toHaveProperty([`node_modules/${name}`]);
    }
  });
});

describe('the documents', () => {
  it.each(DOCUMENTS)('%s: JSON blocks parse', (file) => {
    for (const [, block = ''] of read(file).matchAll(/```json\n([\s\S]*?)\n```/g))
      expect(() => JSON.parse(block), block).not.toThrow();
  });

  it('the install links carry the block that the README shows', () => {
    const readme = read('README.md');
    const [block] = [...readme.matchAll(/```json\n([\s\S]*?)\n```/g)]
      .map(([, text = '']) => JSON.parse(text))
      .filter((each) => each.mcpServers);
    const expected = block.mcpServers.deckprobe;
    const configOf = (host: string) =>
      new URL(String(new RegExp(`https://${host}[^)]*`).exec(readme)?.[0])).searchParams.get('config') ?? '';
    expect(JSON.parse(Buffer.from(configOf('cursor\\.com'), 'base64').toString())).toEqual(expected);
    expect(JSON.parse(configOf('insiders\\.vscode\\.dev'))).toEqual(expected);
  });

  it('the README has the two commands of a clone, each on its own line', () => {
    for (const command of ['npm ci && npm run demo', 'npm ci && npm test'])
      expect(read('README.md').split('\n')).toContain(command);
  });

  it('the tool reference explains every error code of the server', () => {
    for (const [code, exitCode] of Object.entries(MCP_EXIT_CODES))
      expect(read('docs/tools.md')).toMatch(new RegExp(`^\\| \`${code}\` \\| ${exitCode} \\| \\S`, 'm'));
  });

  it('every npm script that they name exists', () => {
    const scripts = Object.keys(json('package.json').scripts);
    for (const file of DOCUMENTS)
      for (const [, script = ''] of read(file).matchAll(/npm run (?:-s |--silent )?([a-z:]+)/g))
        expect(scripts, `${file}: ${script}`).toContain(script);
  });

  it('every test and source file that they name exists', () => {
    for (const file of DOCUMENTS)
      for (const [, name = ''] of read(file).matchAll(/`((?:tests|src|docs)\/[\w./-]+)`/g))
        expect(existsSync(path.join(PROJECT, name)), `${file}: ${name}`).toBe(true);
  });
});

describe('the workflows', () => {
  const workflows = readdirSync(path.join(PROJECT, '.github/workflows')).map((name) => `.github/workflows/${name}`);

  it.each(workflows)('%s pins every action by commit, with the version beside it', (file) => {
    for (const line of read(file)
      .split('\n')
      .filter((each) => each.includes('uses: ') && !each.includes('uses: ./')))
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it.each(workflows)('%s names its permissions and bounds its time', (file) => {
    const text = read(file);
    expect(text).toMatch(/^permissions:/m);
    const jobs = text.match(/^ {4}runs-on:/gm) ?? [];
    expect(text.match(/^ {4}timeout-minutes:/gm)).toHaveLength(jobs.length);
  });

  /** The jobs of a workflow by their names, each as its text without comments. */
  const jobsOf = (file: string): Record<string, string> => {
    const text = read(file).replace(/^ *#.*\n/gm, '');
    const [, jobs = ''] = /^jobs:\n([\s\S]*)/m.exec(text) ?? [];
    const parts = jobs.split(/^ {2}([\w-]+):\n/m).slice(1);
    return Object.fromEntries(
      Array.from({ length: parts.length / 2 }, (_, index) => [parts[2 * index], parts[2 * index + 1] ?? '']),
    );
  };
  const identified = workflows.flatMap((file) =>
    Object.entries(jobsOf(file)).flatMap(([name, job]) =>
      /^ +id-token: write$/m.test(job) ? [{ where: `${file}, ${name}`, job }] : [],
    ),
  );

  it('no workflow gives the identity to all of its jobs', () => {
    for (const file of workflows) {
      const [top = ''] = read(file).split(/^jobs:$/m);
      expect(top, file).not.toContain('id-token');
    }
    expect(identified.map(({ where }) => where)).toEqual([
      '.github/workflows/release.yml, provenance',
      '.github/workflows/release.yml, npm',
      '.github/workflows/release.yml, registry',
    ]);
  });

  it.each(identified)('$where: a job with the identity builds nothing and runs no script of a package', ({ job }) => {
    const begun = /(?:^ *(?:- )?run: |^ +(?:if |! )*|[;&|] *)((?:npm|npx|node|yarn|pnpm) [^\n|&;]*)/gm;
    const commands = [...job.matchAll(begun)].map(([, command = '']) => command);
    expect(commands.length > 0 || job.includes('attest-build-provenance')).toBe(true);
    for (const command of commands.filter((each) => !each.startsWith('npm view '))) {
      expect(command).toMatch(/^npm (ci|install|publish) /);
      expect(command).toContain(' --ignore-scripts');
      // A range or a tag could become another program tomorrow.
      if (command.startsWith('npm install')) expect(command).toMatch(/ --global .*[\w-]+@\d+\.\d+\.\d+$/);
    }
  });

  it('the release publishes the tarball that the tests packed and checked', () => {
    const release = jobsOf('.github/workflows/release.yml');
    const { test = '' } = jobsOf('.github/workflows/ci.yml');
    const { npm = '' } = release;
    expect(release.test).toContain('uses: ./.github/workflows/ci.yml');
    expect(npm).toMatch(/needs: \[test, provenance\]/);
    expect(npm).not.toMatch(/actions\/checkout|npm (run|pack)\b/);

    const [, kept = ''] = /npm run pack:check -- --keep (\S+)$/m.exec(test) ?? [];
    const [upload = ''] = /- if: [^\n]*\n +uses: actions\/upload-artifact@(?:\n|.)*/.exec(test) ?? [];
    const [, condition = '', artifact = '', uploaded = ''] =
      /if: (.*)\n[\s\S]*? name: (\S+)\n +path: (\S+)\n +if-no-files-found: error/.exec(upload) ?? [];
    expect(kept).not.toBe('');
    expect(uploaded).toBe(`${kept}/`);
    // One cell of the matrix, and one that exists.
    const [, os = '', node = ''] = /^matrix\.os == '(\S+)' && matrix\.node == (\d+)$/.exec(condition) ?? [];
    expect(/^ +os: \[(.*)\]$/m.exec(test)?.[1]?.split(', ')).toContain(os);
    expect(/^ +node: \[(.*)\]$/m.exec(test)?.[1]?.split(', ')).toContain(node);

    const steps = ['actions/download-artifact@', 'sha256sum --check --strict SHA256SUMS', 'npm publish '].map((step) =>
      npm.indexOf(step),
    );
    expect(steps).not.toContain(-1);
    expect(steps).toEqual([...steps].sort((one, other) => one - other));
    expect(/actions\/download-artifact@[^\n]*\n +with:\n +name: (\S+)/.exec(npm)?.[1]).toBe(artifact);
    const { name }: { name: string } = json('package.json');
    const tarball = `${name.slice(1).replace('/', '-')}-$version.tgz`;
    expect(npm).toMatch(new RegExp(`npm publish .* "\\./${tarball.replace('$', '\\$').replaceAll('.', '\\.')}"$`, 'm'));
  });

  it('the release builds the bundle once, with every engine, and hands on what it built', () => {
    const { bundle = '', provenance = '', github = '', registry = '' } = jobsOf('.github/workflows/release.yml');
    expect(bundle).toContain('needs: [test]');
    expect(bundle).toContain('npm run bundle -- --require-all');
    const [, artifact = ''] =
      /actions\/upload-artifact@[^\n]*\n +with:\n +name: (\S+)\n +path: bundled\/\n/.exec(bundle) ?? [];
    expect(artifact).not.toBe('');
    for (const job of [provenance, github, registry]) {
      expect(job).not.toContain('npm run');
      expect(job).toMatch(new RegExp(`actions/download-artifact@[^\\n]*\\n +with:\\n +name: ${artifact}\\n`));
    }
    for (const job of [provenance, github]) expect(job).toContain('sha256sum --check --strict SHA256SUMS');
    expect(provenance).toContain('attestations: write');
    expect(provenance).toContain('subject-checksums: bundled/SHA256SUMS');
    expect(github).toContain('bundled/*.mcpb bundled/SHA256SUMS');
    // The registry asks for the file at its address, which the GitHub release makes.
    expect(registry).toContain('needs: [github]');
    expect(registry).toMatch(/registryType == "mcpb"\)\)\.fileSha256 = \$digest/);
  });

  it('no file of the project names a registry host', () => {
    const host = new RegExp(['https?:', '', 'registry\\.'].join('/'));
    for (const file of FILES.filter((name) => !name.startsWith('tests/fixtures/')))
      expect(read(file), file).not.toMatch(host);
  });
});
