/** The codes of this server's own errors, each with the exit code of its kind in the engine's numbering. */
export const MCP_EXIT_CODES = {
  MCP_INVALID_ARGUMENT: 1,
  MCP_BATCH_TOO_LARGE: 1,
  MCP_PATH_NOT_FOUND: 2,
  MCP_PATH_NOT_ALLOWED: 2,
  MCP_TIMEOUT: 4,
  MCP_OUTPUT_LIMIT: 4,
  MCP_ENGINE_FAILURE: 6,
  MCP_ENGINE_NOT_FOUND: 6,
} as const;

export type McpErrorCode = keyof typeof MCP_EXIT_CODES;

/** A failure of this server, before it is put into an envelope. */
export interface Failure {
  readonly code: McpErrorCode;
  readonly message: string;
  /** The one next action, where the failure knows better than its code does. */
  readonly hint?: string;
}

/** The engine's error envelope, which our own errors share. */
export interface ErrorEnvelope {
  [key: string]: unknown;
  schema_version: number;
  tool_version: string;
  status: 'error';
  error: { code: string; message: string; exit_code: number };
  input?: { path: string };
}

/** Text that is echoed to a caller ends here, UTF-16 units. */
const ECHO_LIMIT = 512;
/** The longest path that a system can have: where paths are shown whole, they end here. UTF-16 units. */
export const PATH_LIMIT = 4096;

/** Well-formed Unicode of at most `limit` UTF-16 units: lone surrogates become U+FFFD, a cut is marked with "…". */
export function clip(text: string, limit = ECHO_LIMIT): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replace(LONE_SURROGATE, '\uFFFD');
}

// String.prototype.toWellFormed is there on Node 20 but not in the ES2023 library types.
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Whether a string has no lone surrogate, so that it can be encoded as UTF-8 without loss. */
export function isWellFormed(text: string): boolean {
  return text.search(LONE_SURROGATE) === -1;
}

/** A value as it is shown inside a message: quoted as JSON, clipped. */
export function quote(text: string, limit?: number): string {
  return JSON.stringify(clip(text, limit));
}

/**
 * The envelope of one of this server's failures.
 * @param toolVersion the engine's version, where one is known.
 * @param path the path as the caller wrote it; it is clipped here.
 */
export function toEnvelope(failure: Failure, toolVersion: string | undefined, path?: string): ErrorEnvelope {
  return {
    schema_version: 2,
    tool_version: toolVersion ?? 'unknown',
    status: 'error',
    error: { code: failure.code, message: failure.message, exit_code: MCP_EXIT_CODES[failure.code] },
    ...(path !== undefined && { input: { path: clip(path) } }),
  };
}

/** What a thrown value has to say, clipped. */
export function reasonOf(thrown: unknown): string {
  return clip(thrown instanceof Error ? thrown.message : `not an error but a ${typeof thrown}`);
}

/** The most bytes that a tool result may take, serialized: one host refuses more. */
export const RESULT_LIMIT = 1_000_000;

/** The failure of an answer, or of a batch entry, that would take `size` bytes. */
export function outputLimit(size: number): Failure {
  return {
    code: 'MCP_OUTPUT_LIMIT',
    message: `the answer takes ${size} bytes in a tool result; ${RESULT_LIMIT} fit`,
  };
}

/** A failure as an outcome, beside the engine's answers. */
export function failed(failure: Failure): { readonly kind: 'failure'; readonly failure: Failure } {
  return { kind: 'failure', failure };
}
