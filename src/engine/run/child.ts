import type { StopReason } from '../call.js';

/** Leaves a child's stdin open. */
export const OPEN = Symbol('open');

/** What a process is started with, and who takes what it prints. */
export interface ChildSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /**
   * Written to the child's stdin, which is then closed. Without it the child has no stdin; {@link OPEN} leaves it open for
   * {@link ChildRun.write}.
   */
  readonly stdin?: string | typeof OPEN | undefined;
  /** Takes each piece of stdout; returns how many bytes are now held. */
  readonly onStdout: (chunk: Buffer) => number;
  /** Told when the child is stopped: nothing more comes, and what is held can be let go. */
  readonly onStop?: () => void;
}

/** How a child ended. */
export interface ChildEnd {
  readonly pid: number | undefined;
  /** From start to end, milliseconds. */
  readonly ms: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The first reason to stop it, if it was stopped. */
  readonly stop: StopReason | undefined;
  /** What was thrown over what it printed, where `stop` is `fault`. */
  readonly fault: Error | undefined;
  /** Why it could not be started. */
  readonly spawnError: NodeJS.ErrnoException | undefined;
  /** The end of what it wrote to stderr: one line, at most 1 KiB. */
  readonly stderr: string;
}

export interface ChildRun {
  /** The process, where one was started. */
  readonly pid: number | undefined;
  /** Settles when the output is complete or given up. Never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** Settles when the process is gone, which may be after `ended`. Never rejects. */
  readonly exited: Promise<void>;
  /** Ends the child and its process group. Only the first reason counts. */
  stop(reason: StopReason): void;
  /** Writes to a stdin that was left open. */
  write(text: string): void;
}
