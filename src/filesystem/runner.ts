/*
 * A process that looks at files for the server, where a look that never returns can be ended with the process. One line
 * of JSON asks for one operation, one line answers it, in whatever order they get done.
 */
import { createInterface } from 'node:readline';
import { OPERATIONS, type OperationName, type OperationTypes } from './operations.js';

/** One request, as the server writes it. */
interface Request<Name extends OperationName> {
  readonly id: number;
  readonly name: Name;
  readonly takes: OperationTypes[Name]['takes'];
}

createInterface({ input: process.stdin })
  .on('line', (line) => void answer(JSON.parse(line)))
  // A thread that hangs in the kernel would keep an ordinary exit waiting.
  .on('close', () => process.kill(process.pid, 'SIGKILL'));

async function answer<Name extends OperationName>({ id, name, takes }: Request<Name>): Promise<void> {
  const gives = await OPERATIONS[name](takes);
  process.stdout.write(`${JSON.stringify({ id, gives })}\n`);
}
