/*
 * A process that looks at files for the server, where a look that never returns can be ended with the process. One line
 * of JSON asks for one operation, one line answers it, in whatever order they get done. Before that a line says which
 * request was taken last.
 */
import { OPERATIONS, type OperationName, type OperationTypes } from './operations.js';

/** One request, as the server writes it. */
interface Request<Name extends OperationName> {
  readonly id: number;
  readonly name: Name;
  readonly takes: OperationTypes[Name]['takes'];
}

let begun = '';
process.stdin
  .setEncoding('utf8')
  .on('data', (chunk: string) => {
    // Not by node:readline: from Node 24 on it also ends a line at U+2028 and U+2029, which a path may hold.
    const lines = `${begun}${chunk}`.split('\n');
    begun = lines.pop() ?? '';
    const requests: Request<OperationName>[] = lines.map((line) => JSON.parse(line));
    const last = requests.at(-1);
    if (last !== undefined) process.stdout.write(`${JSON.stringify({ taken: last.id })}\n`);
    for (const request of requests) void answer(request);
  })
  // A thread that hangs in the kernel would keep an ordinary exit waiting.
  .on('end', () => process.kill(process.pid, 'SIGKILL'));

async function answer<Name extends OperationName>({ id, name, takes }: Request<Name>): Promise<void> {
  const gives = await OPERATIONS[name](takes);
  process.stdout.write(`${JSON.stringify({ id, gives })}\n`);
}
