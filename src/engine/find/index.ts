/*
 * Finding an engine: where one may be on this machine (candidates, platform), whether a file can be executed here
 * (executable), how a program for Node.js is started (node-runtime), the permission to do so where a packaged engine lacks it (permission), asking each candidate for its version
 * (resolve), and remembering what was found (locator).
 */
export { inspect } from './executable.js';
export { EngineLocator } from './locator.js';
export { type FindNodeRuntime, nodeRuntimeFinder } from './node-runtime.js';
export { EnginePermission } from './permission.js';
export type { Resolution } from './resolve.js';
