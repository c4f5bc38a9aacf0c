// Other servers for the same kinds of files, measured beside this one: each by the tool of its that comes closest to a
// probe, over the document that this server probes for the comparison.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { MAIN } from '../native.mjs';
import { Server } from './server.mjs';
import { settled, spread, timed, times } from './times.mjs';

const STARTS = 7;
const CALLS = 40;
const WARM_UP = 20;

/** The peers by their packages: what they are given, and their closest tool for a document. */
const PEERS = {
  '@sylphx/pdf-reader-mcp': {
    document: 'report.pdf',
    // The page count and the metadata, and no text.
    call: (file) => ({
      name: 'read_pdf',
      arguments: {
        sources: [{ path: file }],
        include_metadata: true,
        include_page_count: true,
        include_full_text: false,
      },
    }),
  },
  '@modelcontextprotocol/server-filesystem': {
    document: 'report.pdf',
    args: (folder) => [folder],
    call: (file) => ({ name: 'get_file_info', arguments: { path: file } }),
  },
  '@negokaz/excel-mcp-server': {
    document: 'workbook.xlsx',
    call: (file) => ({ name: 'excel_describe_sheets', arguments: { fileAbsolutePath: file } }),
  },
};

const ours = (file) => ({ name: 'probe', arguments: { path: file, targets: ['@summary'] } });

/**
 * Measures the peers that are installed under a folder, in turn with this server.
 * @param folder where the documents are.
 * @returns for each its version and figures, or why there are none.
 */
export async function measurePeers(installed, folder) {
  const measured = {};
  for (const [name, peer] of Object.entries(PEERS)) {
    const root = path.join(path.resolve(installed), 'node_modules', name);
    if (!existsSync(path.join(root, 'package.json'))) {
      measured[name] = { missing: `not installed under ${installed}` };
      continue;
    }
    const { version, bin } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const [main] = typeof bin === 'string' ? [bin] : Object.values(bin);
    const file = path.join(folder, peer.document);
    const pair = {
      peer: { main: path.join(root, main), args: peer.args?.(folder), call: peer.call(file) },
      ours: { main: MAIN, call: ours(file) },
    };
    measured[name] = { version, tool: pair.peer.call.name, document: peer.document, ...(await compare(pair)) };
  }
  return measured;
}

/** Start, a warm call and memory of two servers, round by round in turn. */
async function compare(pair) {
  const figures = Object.fromEntries(Object.keys(pair).map((whose) => [whose, { start: [], call: [] }]));
  for (let round = 0; round < STARTS; round += 1)
    for (const [whose, { main, args }] of Object.entries(pair)) {
      let server;
      figures[whose].start.push(
        await timed(async () => {
          server = new Server(main, args);
          await server.initialize();
        }),
      );
      await server.close();
    }
  const servers = {};
  for (const [whose, { main, args, call }] of Object.entries(pair)) {
    servers[whose] = new Server(main, args);
    await servers[whose].initialize();
    const answer = await servers[whose].call(call);
    if (answer === undefined || answer.isError) throw new Error(`${main} answers ${JSON.stringify(answer)}`);
    figures[whose].bytes = Buffer.byteLength(JSON.stringify(answer));
    await times(WARM_UP, () => servers[whose].call(call));
  }
  for (let round = 0; round < CALLS; round += 1)
    for (const [whose, { call }] of Object.entries(pair))
      figures[whose].call.push(await timed(() => servers[whose].call(call)));
  await settled();
  for (const [whose, server] of Object.entries(servers)) {
    figures[whose].mib = server.usage().mib;
    await server.close();
  }
  for (const figure of Object.values(figures)) {
    figure.start = spread(figure.start);
    figure.call = spread(figure.call);
  }
  return figures;
}

/** A line for each server. */
export function printPeers(peers) {
  for (const [name, { missing, version, tool, document, ...figures }] of Object.entries(peers)) {
    console.log(`\n${name} ${missing ?? `${version}, ${tool} of ${document}`}`);
    for (const [whose, { start, call, mib, bytes }] of Object.entries(missing ? {} : figures))
      console.log(
        `  ${(whose === 'ours' ? 'this server' : 'peer').padEnd(16)} start ${start.median}, call ${call.median} (${call.min} to ${call.max}), ${mib} MiB, ${bytes} bytes`,
      );
  }
}
