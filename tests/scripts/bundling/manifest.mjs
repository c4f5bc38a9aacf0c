// The manifest of the bundle, made of what the project says elsewhere: package.json, server.json, the settings with their
// defaults, and the tools as the built server lists them.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { loadConfig } from '../../../dist/config.js';
import { DESKTOP_ARGUMENTS } from '../../../dist/desktop-config.js';
import { PROJECT } from './programs.mjs';

/** Files of the bundle, from its folder. */
export const ENTRY = 'dist/desktop.js';
export const ICON = 'icon.png';

const LONG_DESCRIPTION = `Ask about PDF, Word, Excel, PowerPoint, Keynote, Numbers and Pages files on this computer: how many
slides, pages or sheets, who made them and when, whether they are encrypted, hold macros or scripts, or are damaged. Each
answer comes with its evidence.

The files stay where they are. They are read here, by an engine that is part of this extension; no text is extracted, nothing
is rendered or changed, no macro is run, and no connection is opened. What a question needs of a file (its title, its author,
its counts) goes to the application that asked.

Choose folders in the settings, and only documents below them can be read. Choose none, and every file that you can open can
be read. To take the extension away, remove it in the application's settings; it leaves nothing behind.`;

/** The bundle's manifest (https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md). */
export async function bundleManifest() {
  const read = (file) => JSON.parse(readFileSync(path.join(PROJECT, file), 'utf8'));
  const { version, description, license, homepage, bugs, keywords, engines, repository, bin } = read('package.json');
  const { title, repository: hosted } = read('server.json');
  const [name] = Object.keys(bin);
  const [, owner] = new URL(hosted.url).pathname.split('/');
  const defaults = loadConfig({});
  const setting = (key) => `\${user_config.${key}}`;
  const [folders, end] = DESKTOP_ARGUMENTS.folders;
  return {
    manifest_version: '0.3',
    name,
    display_name: title,
    version,
    description,
    long_description: LONG_DESCRIPTION.split('\n\n')
      .map((paragraph) => paragraph.replaceAll('\n', ' '))
      .join('\n\n'),
    author: { name: owner, url: new URL(`/${owner}`, hosted.url).href },
    repository: { type: repository.type, url: hosted.url },
    homepage,
    support: bugs,
    license,
    keywords,
    icon: ICON,
    server: {
      type: 'node',
      entry_point: ENTRY,
      mcp_config: {
        command: 'node',
        args: [
          `\${__dirname}/${ENTRY}`,
          `${DESKTOP_ARGUMENTS.seconds}${setting('call_seconds')}`,
          `${DESKTOP_ARGUMENTS.processes}${setting('processes')}`,
          // As an argument of its own: only so do clients put several folders in its place.
          folders,
          setting('allowed_folders'),
          end,
        ],
      },
    },
    tools: await listTools(path.join(PROJECT, Object.values(bin)[0])),
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
    user_config: {
      allowed_folders: {
        type: 'directory',
        title: 'Folders that may be read',
        description:
          'Only documents in these folders, and in the folders inside them, can be read. If you choose none, every file that you can open can be read.',
        multiple: true,
        required: false,
      },
      call_seconds: {
        type: 'number',
        title: 'Seconds that a question may take',
        description: 'What takes longer is stopped, and the answer says so.',
        default: defaults.timeoutMs / 1000,
        min: 1,
        max: 600,
        required: false,
      },
      processes: {
        type: 'number',
        title: 'Documents read at the same time',
        description: 'Each is read by a process of its own. Fewer are slower and leave more of the computer to others.',
        default: defaults.maxConcurrency,
        min: 1,
        max: 64,
        required: false,
      },
    },
  };
}

/** The names and descriptions of the tools of the built server. */
async function listTools(main) {
  const server = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'ignore'] });
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'bundle', version: '1.0.0' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  send({ id: 1, method: 'initialize', params });
  for await (const line of createInterface(server.stdout)) {
    const { id, result } = JSON.parse(line);
    if (id === 1) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/list', params: {} });
    }
    if (id !== 2) continue;
    server.stdin.end();
    return result.tools.map(({ name, description }) => ({ name, description }));
  }
  throw new Error('the built server ended before it listed its tools');
}
