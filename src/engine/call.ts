import { setMaxListeners } from 'node:events';
import type { Failure } from '../errors.js';
import { MAX_DEPTH } from '../json.js';

/** Why a call, or a child of it, is to end before its time. */
export type StopReason = 'deadline' | 'cancelled' | 'closed' | OutputTrouble;

/** What can be wrong with what a child prints; `fault` is that the server itself failed over it. */
export type OutputTrouble = 'output' | 'junk' | 'deep' | 'fault';

/** Bytes of a child's stdout that may be held at once. No answer that is sent is a tenth as large. */
export const OUTPUT_LIMIT = 16 * 1024 * 1024;

/** What a call was doing when it was stopped. */
export type Phase =
  | 'waiting for the path to be checked'
  | 'waiting for the engine to be found'
  | 'waiting for a free engine slot'
  | 'waiting for the client to read'
  | 'running the engine';

/** One tool call: everything it starts ends when its signal aborts. */
export interface Call {
  /** Aborts once, with a {@link StopReason} as its reason. */
  readonly signal: AbortSignal;
  /** From arrival to deadline, milliseconds. */
  readonly timeoutMs: number;
  /** Takes the call's timer and listeners away. To be called when the call is answered. */
  end(): void;
}

/** A controller whose signal many may listen to: Node warns from the eleventh listener on. */
export function unboundedController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Starts the clock of a call. `client` aborts when the client cancels it or goes away. */
export function startCall(client: AbortSignal | undefined, timeoutMs: number): Call {
  const controller = unboundedController();
  const stop = (reason: StopReason) => controller.abort(reason);
  const onCancel = () => stop('cancelled');
  const timer = setTimeout(stop, timeoutMs, 'deadline' satisfies StopReason);
  if (client?.aborted) onCancel();
  client?.addEventListener('abort', onCancel, { once: true });
  return {
    signal: controller.signal,
    timeoutMs,
    end: () => {
      clearTimeout(timer);
      client?.removeEventListener('abort', onCancel);
    },
  };
}

/** The reason that the aborted signal of a {@link Call} carries. */
export function stopReason(signal: AbortSignal): StopReason {
  const reason: StopReason = signal.reason;
  return reason;
}

/** Resolves as `work` does, or to undefined as soon as `signal` aborts. `work` itself goes on. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(undefined);
    // Also then `work` is listened to: nobody else would take notice of its failure.
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const finish = () => signal.removeEventListener('abort', onAbort);
    work.then(
      (value) => {
        finish();
        resolve(value);
      },
      (error: unknown) => {
        finish();
        reject(error);
      },
    );
  });
}

/** The failure that a call ends with when it is stopped outside a process of its own. */
export function stoppedCall({ signal, timeoutMs }: Pick<Call, 'signal' | 'timeoutMs'>, phase: Phase): Failure {
  const reason = stopReason(signal);
  return reason === 'deadline' ? timeoutFailure(timeoutMs, phase) : stopFailure(reason);
}

/** The failure that a reason to stop, other than the deadline, stands for. */
export function stopFailure(stop: Exclude<StopReason, 'deadline'>): Failure {
  return { code: 'MCP_ENGINE_FAILURE', message: STOP_MESSAGES[stop] };
}

/** The failure of a call that ran out of time. */
export function timeoutFailure(timeoutMs: number, phase: Phase): Failure {
  return {
    code: 'MCP_TIMEOUT',
    message: `the call's limit of ${timeoutMs} ms (DECKPROBE_MCP_TIMEOUT_MS) ran out while ${phase}`,
  };
}

const STOP_MESSAGES: Record<Exclude<StopReason, 'deadline'>, string> = {
  output: `the engine printed more than ${OUTPUT_LIMIT / 1024 ** 2} MiB and was stopped`,
  junk: 'the engine printed something that is not a report and was stopped',
  deep: `the engine printed JSON that nests deeper than ${MAX_DEPTH} levels and was stopped`,
  fault: 'the server failed over what the engine printed',
  cancelled: 'the call was cancelled',
  closed: 'the server is shutting down',
};
