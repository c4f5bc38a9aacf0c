import { onTestFinished } from 'vitest';
import { type Config, loadConfig } from '../../src/config.js';
import type { Call, StopReason } from '../../src/engine/call.js';
import type { EngineInput, Outcome, ProbeOptions } from '../../src/engine/types.js';
import { createEngine, type Engine, type EngineDependencies } from '../../src/engine.js';
import type { Failure } from '../../src/errors.js';
import { fixture } from './files.js';

export interface EngineUnderTest {
  readonly engine: Engine;
  readonly log: string[];
  /** Probes {@link DECK}, under a call of its own unless one is given. */
  probe(options?: ProbeOptions, call?: Call): Promise<Outcome>;
  formats(): Promise<Outcome>;
}

/** The document that most of these tests ask for. */
export const DECK: EngineInput = { requested: 'deck.pptx', path: fixture('deck.pptx') };

/** An engine with the default settings but for those given, closed once the running test is over. */
export function startEngine(settings: Partial<Config> = {}, dependencies: EngineDependencies = {}): EngineUnderTest {
  const log: string[] = [];
  const engine = createEngine({ ...loadConfig({}), ...settings }, { log: (line) => log.push(line), ...dependencies });
  onTestFinished(() => engine.close());
  return {
    engine,
    log,
    probe: (options = {}, call = engine.startCall()) => engine.probe(DECK, options, call).finally(() => call.end()),
    formats: () => {
      const call = engine.startCall();
      return engine.formats(call).finally(() => call.end());
    },
  };
}

interface ManualCall extends Call {
  /** What the clock of a call does at its deadline. */
  expire(): void;
}

/** A call of 30 seconds whose deadline comes when the test says so: after an event, not after a time. */
export function manualCall(): ManualCall {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    timeoutMs: 30_000,
    end: () => {},
    expire: () => controller.abort('deadline' satisfies StopReason),
  };
}

export function failureOf(outcome: Outcome): Failure {
  if (outcome.kind !== 'failure') throw new Error(`expected a failure, got ${outcome.text.slice(0, 200)}`);
  return outcome.failure;
}
