import type { Config } from './config.js';
import { startCall } from './engine/call.js';
import type { ProcessEngine } from './engine/process-engine.js';
import type { Engine, EngineDependencies } from './engine/types.js';
import { FileSystem } from './filesystem.js';

export { type Call, stoppedCall, unlessAborted } from './engine/call.js';
export type { Engine, EngineDependencies } from './engine/types.js';

/**
 * Creates the one engine of a process: its slots, its resolved command and its cache. Starts nothing yet, and loads the
 * modules that run an engine when they are first needed: the answer to `initialize` does not wait for them.
 */
export function createEngine(config: Config, dependencies: EngineDependencies = {}): Engine {
  let engine: ProcessEngine | undefined;
  let loading: Promise<ProcessEngine> | undefined;
  const load = (): Promise<ProcessEngine> => {
    loading ??= import('./engine/process-engine.js').then((module) => {
      engine = new module.ProcessEngine(config, files, dependencies);
      return engine;
    });
    return loading;
  };
  const files = new FileSystem(async (helper) => (await load()).startHelper(helper));
  return {
    files,
    get version() {
      return engine?.version;
    },
    start: () => void load().then((loaded) => loaded.start()),
    startCall: (client) => startCall(client, config.timeoutMs),
    probe: async (...args) => (await load()).probe(...args),
    probeBatch: async (...args) => (await load()).probeBatch(...args),
    formats: async (call) => (await load()).formats(call),
    targets: async (format, call) => (await load()).targets(format, call),
    schema: async (call) => (await load()).schema(call),
    close: async () => (await load()).close(),
  };
}
