// Reads what the tee between a client and the server has noted.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** All sessions of a run: its servers' process ids, whether one was greeted, and what its tool calls were answered. */
export function readRecord(folder) {
  const sessions = readdirSync(folder).map((file) =>
    readFileSync(path.join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  const calls = sessions.flatMap(callsOf);
  return {
    pids: sessions.flatMap((notes) => notes.flatMap(({ pid }) => pid ?? [])),
    connected: sessions.flat().some(({ method }) => method === 'initialize' || method === 'server/discover'),
    /** What was spoken when tools were called, or else what was agreed upon. */
    revisions: [...new Set((calls.length > 0 ? calls : sessions.flat()).flatMap(({ revision }) => revision ?? []))],
    hint: hintOf(calls.map(({ result }) => result).find((result) => result?.isError)),
    broken: sessions.flat().flatMap(({ broken }) => broken ?? []),
  };
}

/** A session's tool calls. Those of an era that tells its revision once have the one of their session. */
function callsOf(notes) {
  const agreed = notes.find(({ method }) => method === 'initialize')?.revision;
  return notes.filter(({ method }) => method === 'tools/call').map((call) => ({ revision: agreed, ...call }));
}

/** The hint as the server sent it: the last line of an error's text. */
function hintOf(result) {
  return /\nHint: (.*)$/.exec(result?.content?.[0]?.text ?? '')?.[1];
}
