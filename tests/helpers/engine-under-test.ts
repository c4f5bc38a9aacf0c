import { onTestFinished } from 'vitest';
import { type Config, loadConfig } from '../../src/config.js';
import type { EngineInput, Outcome, ProbeOptions } from '../../src/engine/types.js';
import { createEngine, type Engine, type EngineDependencies } from '../../src/engine.js';
import type { Failure } from '../../src/errors.js';
import { fixture } from './files.js';

export interface EngineUnderTest {
  readonly engine: Engine;
  readonly log: string[];
  probe(options?: ProbeOptions, signal?: AbortSignal): Promise<Outcome>;
  formats(): Promise<Outcome>;
}

/** The document that {@link EngineUnderTest.probe} asks for. */
export const DECK: EngineInput = { requested: 'deck.pptx', path: fixture('deck.pptx') };

/** An engine with the default settings but for those given, closed once the running test is over. */
export function startEngine(settings: Partial<Config> = {}, dependencies: EngineDependencies = {}): EngineUnderTest {
  const log: string[] = [];
  const engine = createEngine({ ...loadConfig({}), ...settings }, { log: (line) => log.push(line), ...dependencies });
  onTestFinished(() => engine.close());
  return {
    engine,
    log,
    probe: (options = {}, signal = undefined) => {
      const call = engine.startCall(signal);
      return engine.probe(DECK, options, call).finally(() => call.end());
    },
    formats: () => {
      const call = engine.startCall();
      return engine.formats(call).finally(() => call.end());
    },
  };
}

export function failureOf(outcome: Outcome): Failure {
  if (outcome.kind !== 'failure') throw new Error(`expected a failure, got ${outcome.text.slice(0, 200)}`);
  return outcome.failure;
}
