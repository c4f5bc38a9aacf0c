import { stat } from 'node:fs';
import path from 'node:path';
import type { EngineInput } from './engine/types.js';
import { type Failure, PATH_LIMIT, quote } from './errors.js';
import { isInside, isRefusedByText } from './paths/allow-list.js';
import { nearlyMatching } from './paths/neighbour.js';
import { realPathOf } from './paths/real-path.js';
import { notAllowed, notFound } from './paths/refusal.js';
import { toAbsolute } from './paths/requested.js';

export type CheckedPath = { readonly input: EngineInput } | { readonly failure: Failure };

/**
 * Turns a path as a caller wrote it into one that the engine may read: absolute, existing and, where there are roots,
 * the real path that was found inside one of them. Every trouble but a missing file is left to the engine to tell.
 * Never rejects. Fails with `MCP_INVALID_ARGUMENT`, `MCP_PATH_NOT_FOUND` or `MCP_PATH_NOT_ALLOWED`.
 * @param realRoots the real paths of the roots, where they are known: one call that checks many paths looks once.
 */
export async function checkPath(
  requested: string,
  roots: readonly string[] | undefined,
  realRoots?: Promise<readonly string[]>,
): Promise<CheckedPath> {
  const target = toAbsolute(requested);
  if ('failure' in target) return target;
  if (roots === undefined) {
    if (!(await isMissing(target.absolute))) return { input: { requested, path: target.absolute } };
    return { failure: notFound(requested, target, await nearlyMatching(target.absolute)) };
  }
  if (isRefusedByText(roots, target.absolute)) return { failure: notAllowed(target, roots) };
  const [real, existing] = await Promise.all([realPathOf(target.absolute), realRoots ?? realRootsOf(roots)]);
  const allowed = (candidate: string) => existing.some((root) => isInside(root, candidate));
  if (!allowed(real)) return { failure: notAllowed(target, roots, existing.length) };
  if (await isMissing(real)) {
    const neighbour = await nearlyMatching(target.absolute);
    const offered = neighbour !== undefined && allowed(await realPathOf(neighbour));
    return { failure: notFound(requested, target, offered ? neighbour : undefined) };
  }
  // The engine reads what was checked, so that a link swapped meanwhile changes nothing, but routes and displays by
  // the name that was asked for.
  const name = path.basename(target.absolute);
  return { input: { requested, path: real, ...(name !== path.basename(real) && { name }) } };
}

/** Lines for the operator on each root: its real path, or that it does not exist and allows nothing. */
export async function describeRoots(roots: readonly string[]): Promise<string[]> {
  return Promise.all(
    roots.map(async (root) => {
      const [real] = await realRootsOf([root]);
      if (real === undefined)
        return `warning: root ${quote(root, PATH_LIMIT)} does not exist and allows nothing until it does`;
      return `root ${quote(root, PATH_LIMIT)} (real path ${quote(real, PATH_LIMIT)})`;
    }),
  );
}

/** The real paths of the roots that exist. Never rejects. */
export async function realRootsOf(roots: readonly string[]): Promise<string[]> {
  const real = await Promise.all(
    roots.map(async (root) => ((await isMissing(root)) ? undefined : await realPathOf(root))),
  );
  return real.flatMap((root) => root ?? []);
}

/** By callback: the promise of node:fs/promises takes longer than the look itself, and every probe asks. */
function isMissing(absolute: string): Promise<boolean> {
  return new Promise((resolve) => {
    stat(absolute, (error) => resolve(error?.code === 'ENOENT' || error?.code === 'ENOTDIR'));
  });
}
