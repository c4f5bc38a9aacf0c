import type { Writable } from 'node:stream';
import { BlockingPipe, isBlockingPipe } from './blocking-pipe.js';

/** Standard output and error, neither of which a reader that stops can stop the process by. */
export interface StandardStreams {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether a thread waits for a reader: then the process cannot exit in the ordinary way. */
  hasOpenWrites(): boolean;
}

/** To be called once, and before anything is written. */
export function standardStreams(): StandardStreams {
  // The getters of process are left alone for a pipe that is written to here: they would set it up for themselves.
  const stdout = isBlockingPipe(1) ? new BlockingPipe(1) : process.stdout;
  const stderr = isBlockingPipe(2) ? new BlockingPipe(2) : process.stderr;
  const isWriting = (stream: Writable) => stream instanceof BlockingPipe && stream.isWriting;
  return { stdout, stderr, hasOpenWrites: () => isWriting(stdout) || isWriting(stderr) };
}
