/*
 * Finding an engine: where one may be on this machine (candidates, platform), whether a file can be executed here
 * (executable), asking each candidate for its version (resolve), and remembering what was found (locator).
 */
export { EngineLocator } from './locator.js';
export type { Resolution } from './resolve.js';
