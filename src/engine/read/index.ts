/*
 * Reading what an engine printed: output held until it is read (collector), lines out of a stream (lines), one answer or
 * the reason why there is none (output, start-error, exit-status), and the answers of a batch, record by record, over as many processes as it
 * takes (batch).
 */
export { restoreInput, runBatch, toRecord } from './batch.js';
export { Collector } from './collector.js';
export { describeExitStatus } from './exit-status.js';
export { LineReader } from './lines.js';
export { crashFailure, readOutcome, spawnFailure } from './output.js';
export { explainSpawnError } from './start-error.js';
