import { PATH_LIMIT, quote } from '../../errors.js';
import { serverVersion } from '../../version.js';
import type { Semaphore } from '../run/index.js';
import type { EngineCommand } from '../types.js';
import { currentPlatform } from './platform.js';
import { missingNative, type Resolution, type ResolveOptions, resolveEngine } from './resolve.js';

/** Finds the engine once for all; a failure is forgotten, so that an engine installed later is found. */
export class EngineLocator {
  readonly #options: ResolveOptions;
  readonly #slots: Semaphore;
  #resolution: Promise<Resolution> | undefined;
  #engine: EngineCommand | undefined;
  #version: string | undefined;

  /** @param slots one is held while candidates are asked for their version: they are engine processes too. */
  constructor(options: ResolveOptions, slots: Semaphore) {
    this.#options = options;
    this.#slots = slots;
  }

  /** The version of the engine last found. */
  get version(): string | undefined {
    return this.#version;
  }

  /** The engine, where one has been found already. */
  get engine(): EngineCommand | undefined {
    return this.#engine;
  }

  /** The look that is under way or has found the engine. */
  get looking(): Promise<Resolution> | undefined {
    return this.#resolution;
  }

  /** Concurrent callers share one look-up. Never rejects. */
  locate(): Promise<Resolution> {
    this.#resolution ??= this.#lookUp();
    return this.#resolution;
  }

  /** Has the next call look again, after an engine that was found could not be started. */
  forget(): void {
    this.#engine = undefined;
    this.#resolution = undefined;
  }

  async #lookUp(): Promise<Resolution> {
    const { log, signal } = this.#options;
    const release = await this.#slots.acquire(signal);
    const resolution = await resolveEngine(this.#options);
    release?.();
    if ('failure' in resolution) {
      this.forget();
      if (!signal.aborted) log(`${resolution.failure.code}: ${resolution.failure.message}`);
    } else {
      const { kind, version, command, prefix } = resolution.engine;
      this.#engine = resolution.engine;
      this.#version = version;
      const why = kind === 'wasm' ? `; WebAssembly serves because ${missingNative(currentPlatform())}` : '';
      const place = quote(prefix[0] ?? command, PATH_LIMIT);
      log(`server ${serverVersion()}, engine deckprobe ${version} (${kind}) at ${place}${why}`);
    }
    return resolution;
  }
}
