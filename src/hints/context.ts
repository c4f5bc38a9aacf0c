import type { ProbeOptions } from '../engine/types.js';

/** What a hint may lean on besides the error itself. */
export interface HintContext {
  /** The path as the caller wrote it. */
  readonly path?: string;
  /** The format that `list_targets` was asked for. */
  readonly format?: string;
  readonly options?: ProbeOptions;
  /** Bytes of the file, where they are known. */
  readonly size?: number;
  /** The system that the server runs on; this one by default. */
  readonly platform?: NodeJS.Platform;
}

export interface HintedError {
  readonly code: string;
  readonly message: string;
  readonly exit_code: number;
}

/** The extension of a path, as `list_targets` takes it, or undefined where it could not be one. */
export function extension(path: string | undefined): string | undefined {
  return /\.([a-z0-9]{2,8})$/i.exec(path ?? '')?.[1]?.toLowerCase();
}
