/*
 * Running a process: starting and ending one (process, kill; child has its types), once more where trouble passes (retry),
 * what it is given (environment), what of its complaints is kept (stderr-tail), and how many may run at once (semaphore).
 * Nothing here knows what an engine prints.
 */
export { type ChildEnd, type ChildRun, type ChildSpec, OPEN } from './child.js';
export { childEnvironment } from './environment.js';
export { startChild } from './process.js';
export { passingTrouble, startChildPatiently } from './retry.js';
export { type Release, Semaphore } from './semaphore.js';
