/*
 * Running a process: starting and ending one (process; child has its types), what it is given (environment), what of its complaints is kept
 * (stderr-tail), and how many may run at once (semaphore). Nothing here knows what an engine prints.
 */
export type { ChildEnd, ChildRun, ChildSpec } from './child.js';
export { childEnvironment } from './environment.js';
export { startChild } from './process.js';
export { type Release, Semaphore } from './semaphore.js';
