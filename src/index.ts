/*
 * What an embedding program may import: the parts that the bin puts together. Importing it starts nothing.
 */
export { type Config, ConfigError, loadConfig } from './config.js';
export { createEngine, type Engine, type EngineDependencies } from './engine.js';
export { buildServer, type ServerParts } from './server.js';
