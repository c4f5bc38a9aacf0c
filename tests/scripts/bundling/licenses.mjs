// The licences of the packages that are part of a program, as one text.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from './programs.mjs';

/** @param sources paths from the project's folder, as bundleProgram gives them. */
export function licensesOf(sources) {
  const packages = new Set(
    sources.flatMap((source) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source) ?? []),
  );
  const parts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(PROJECT, folder, 'package.json'), 'utf8'));
    const file = readdirSync(path.join(PROJECT, folder)).find((each) => /^licen[cs]e(\.md|\.txt)?$/i.test(each));
    if (file === undefined) throw new Error(`${name} is bundled, but has no file with its licence`);
    return `${name} ${version} (${license})\n\n${readFileSync(path.join(PROJECT, folder, file), 'utf8').trim()}\n`;
  });
  return `The programs beside this file contain code of these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
