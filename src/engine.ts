import type { Config } from './config.js';
import { startCall, unlessAborted } from './engine/call.js';
import type { ProcessEngine } from './engine/process-engine.js';
import type { Engine, EngineDependencies } from './engine/types.js';
import { FileSystem } from './filesystem.js';

export type { Call } from './engine/call.js';
export type { Engine, EngineDependencies } from './engine/types.js';

/** How long an answer waits to know the engine's version, milliseconds. */
const VERSION_PATIENCE_MS = 300;

/**
 * Creates the one engine of a process: its slots, its resolved command and its cache. Starts nothing yet, and loads the
 * modules that run an engine when they are first needed: the answer to `initialize` does not wait for them.
 */
export function createEngine(config: Config, dependencies: EngineDependencies = {}): Engine {
  let engine: ProcessEngine | undefined;
  let loading: Promise<ProcessEngine> | undefined;
  let starting: Promise<void> | undefined;
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
    start: () => {
      // The answer that is being made goes out first: to load modules and to start a process would hold it up.
      starting ??= new Promise<void>((resolve) => setImmediate(resolve))
        .then(async () => (await load()).start())
        // The first call is told what is wrong.
        .catch(() => {});
    },
    versionSettled: async () => {
      if (engine?.version !== undefined || (starting ?? loading) === undefined) return;
      const looking = Promise.resolve(starting)
        .then(async () => (await load()).looking)
        .catch(() => {});
      await unlessAborted(looking, AbortSignal.timeout(VERSION_PATIENCE_MS));
    },
    startCall: (client) => startCall(client, config.timeoutMs),
    probe: async (...args) => (await load()).probe(...args),
    probeBatch: async (...args) => (await load()).probeBatch(...args),
    formats: async (call) => (await load()).formats(call),
    targets: async (format, call) => (await load()).targets(format, call),
    schema: async (call) => (await load()).schema(call),
    // Where it cannot be loaded there is nothing to close.
    close: async () => (await load().catch(() => undefined))?.close(),
  };
}
