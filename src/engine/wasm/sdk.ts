import type { Confidence, JsonObject, ProbeLevel } from '../types.js';

/** What this server uses of the package `@deckflow/deckprobe`, whose types are not there where it is not installed. */
export interface DeckProbeSdk {
  probe(bytes: Uint8Array, options: SdkOptions): Promise<JsonObject>;
  formats(): Promise<JsonObject>;
  targets(format: string): Promise<JsonObject>;
  schema(): Promise<JsonObject>;
  version(): Promise<string>;
}

export interface SdkOptions {
  /** Routes and displays; the package refuses one without a dot. */
  name: string;
  targets?: string[];
  level?: ProbeLevel;
  minimumConfidence?: Confidence;
  targetConfidence?: Record<string, Confidence>;
  budget?: Partial<Record<SdkBudgetField, number>>;
}

export type SdkBudgetField = 'maxPhysicalBytes' | 'maxExpandedBytes' | 'maxArchiveEntries' | 'timeoutMs';
