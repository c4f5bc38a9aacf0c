import type { Failure } from '../errors.js';
import type { FileSystem } from '../filesystem.js';
import type { Call } from './call.js';

/** A parsed JSON object, as an engine prints one. */
export type JsonObject = { [key: string]: unknown };

export type ProbeLevel = 'header' | 'metadata' | 'deep';
export type Confidence = 'low' | 'medium' | 'high' | 'exact';

/** Limits that take the place of the level's own. Bytes, entries, milliseconds. */
export interface Budget {
  readonly max_physical_bytes?: number | undefined;
  readonly max_expanded_bytes?: number | undefined;
  readonly max_archive_entries?: number | undefined;
  readonly timeout_ms?: number | undefined;
}

/** What a caller may ask of a probe; each field is one flag of the engine. */
export interface ProbeOptions {
  readonly targets?: readonly string[] | undefined;
  readonly level?: ProbeLevel | undefined;
  readonly min_confidence?: Confidence | undefined;
  readonly target_confidence?: Readonly<Record<string, Confidence>> | undefined;
  readonly view?: 'report' | 'values' | undefined;
  readonly budget?: Budget | undefined;
}

/** A checked document: what the caller wrote, and what the engine is to read. */
export interface EngineInput {
  /** The path as the caller wrote it. */
  readonly requested: string;
  /** Absolute path to read. */
  readonly path: string;
  /** Bytes it had when it was checked, where that could be told. */
  readonly size?: number;
  /** The name to route and display by, where it is not the last part of `path`. */
  readonly name?: string;
  /** Checks the requested path anew, where what is allowed may have changed since. */
  readonly recheck?: () => Promise<CheckedInput>;
  /** When `path` was resolved, by `performance.now()`. */
  readonly checkedAt?: number;
}

/** A document that may be read, or why it may not. */
export type CheckedInput = { readonly input: EngineInput } | { readonly failure: Failure };

/** An engine that answered `--version`. */
export interface EngineCommand {
  readonly kind: 'override' | 'package' | 'path' | 'wasm';
  readonly command: string;
  /** Arguments before the engine's own. */
  readonly prefix: readonly string[];
  /** Variables beside those of every child. */
  readonly env?: Readonly<Record<string, string>>;
  readonly version: string;
}

/** JSON as the engine printed it: a report, a values view, a catalogue, or the engine's own error envelope. */
export interface Answer {
  readonly kind: 'answer';
  readonly value: JsonObject;
  /** The engine's text, one JSON value without white space around it. */
  readonly text: string;
}

/** What became of one request to the engine. */
export type Outcome = Answer | { readonly kind: 'failure'; readonly failure: Failure };

/** The deckprobe engine, as the tools see it. No method rejects: a failure is an outcome. */
export interface Engine {
  /** The version of the engine last found, or undefined before one was. */
  readonly version: string | undefined;
  /** Where paths are looked at: in processes like the engine's own where the file system does not answer. */
  readonly files: FileSystem;
  /** Begins to look for the engine in a moment, so that the first call need not wait for it. */
  start(): void;
  /** Settles when the look for the engine that is under way is over, after 300 ms, or at once when there is none. */
  versionSettled(): Promise<void>;
  /** Starts the clock of one tool call, which has to be ended. */
  startCall(client?: AbortSignal): Call;
  /** Probes one document in a process of its own. */
  probe(input: EngineInput, options: ProbeOptions, call: Call): Promise<Outcome>;
  /**
   * Probes many documents in one slot; `onSettled` is told of each outcome, in order.
   * @returns the failure that kept every document from being answered, if there was one.
   */
  probeBatch(
    inputs: readonly EngineInput[],
    options: ProbeOptions,
    call: Call,
    onSettled: (outcome: Outcome) => void,
  ): Promise<Failure | undefined>;
  /** The formats the engine reads. Cached. */
  formats(call: Call): Promise<Outcome>;
  /** The catalogue of one format's targets, in any letter case. Cached. */
  targets(format: string, call: Call): Promise<Outcome>;
  /** The JSON Schema of a report. Cached. */
  schema(call: Call): Promise<Outcome>;
  /** Stops every process and refuses further calls. Settles when the processes are gone. */
  close(): Promise<void>;
}

/** Where answers go, for a server whose client may leave them unread. */
export interface AnswerOutput {
  /** Whether so much lies unread that no new work should start. */
  readonly blocked: boolean;
  /** Resolves to true once work may start, or to false once `signal` has aborted. */
  ready(signal: AbortSignal): Promise<boolean>;
}

export interface EngineDependencies {
  /** Holds engine work back while answers lie unread; without it nothing is held back. */
  readonly output?: AnswerOutput;
  /** Takes a line for the operator; stderr by default. */
  readonly log?: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
  /** File URL or path of the module from whose place the engine packages are looked up. */
  readonly resolveFrom?: string;
}
