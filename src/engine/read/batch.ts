import { clip, type Failure, failed } from '../../errors.js';
import { type Call, type StopReason, stoppedCall } from '../call.js';
import type { ChildEnd, ChildRun, ChildSpec } from '../run/index.js';
import type { Answer, CheckedInput, EngineInput, Outcome } from '../types.js';
import { LineReader } from './lines.js';
import { endFailure, engineFailure, parseAnswer, spawnFailure } from './output.js';

export interface BatchRun {
  readonly inputs: readonly EngineInput[];
  /** Whether the inputs were checked some time ago: then they are checked anew, as before each later process. */
  readonly stale: boolean;
  /** Starts a `--jsonl` process over some records. */
  readonly start: (records: string, output: Pick<ChildSpec, 'onStdout' | 'onStop'>) => ChildRun;
  readonly call: Call;
  /** Told of each input's outcome, in order. */
  readonly onSettled: (outcome: Outcome) => void;
  /** Told of each process that ended before it had answered all it was asked. */
  readonly onIncomplete: (failure: Failure, end: ChildEnd, input: EngineInput) => void;
}

/**
 * Answers every input: with one process while all goes well. A record at which the process ends, or prints something
 * that is not a report, costs its own outcome, and the rest go on in a new process. When the call is stopped, or no
 * process can be started, all that is still open shares that failure.
 * @returns what kept every single input from being answered, or the answers from being gathered, if something did.
 */
export async function runBatch({
  inputs,
  stale,
  start,
  call,
  onSettled,
  onIncomplete,
}: BatchRun): Promise<Failure | undefined> {
  let checked: readonly CheckedInput[] = inputs.map((input) => ({ input }));
  let next = 0;
  let answered = 0;
  const settle = (outcome: Outcome) => {
    next += 1;
    onSettled(outcome);
  };
  /** The input that a process is to answer next; those before it that may no longer be read are settled. */
  const due = (): EngineInput | undefined => {
    for (let each = checked[next]; each !== undefined; each = checked[next]) {
      if ('input' in each) return each.input;
      settle(failed(each.failure));
    }
    return undefined;
  };
  const endAll = (failure: Failure): Failure | undefined => {
    while (due() !== undefined) settle(failed(failure));
    return answered === 0 ? failure : undefined;
  };

  for (let isStale = stale; ; isStale = true) {
    if (isStale) checked = await Promise.all(checked.map((each, index) => (index < next ? each : recheck(each))));
    if (call.signal.aborted) return endAll(stoppedCall(call, 'waiting for the path to be checked'));
    if (due() === undefined) return undefined;
    let stop: ((reason: StopReason) => void) | undefined;
    const lines = new LineReader((line) => {
      const input = due();
      const answer = input === undefined ? 'junk' : parseAnswer(line);
      // After a line that is no report, or one too many, what follows cannot be told apart from answers.
      if (typeof answer === 'string') stop?.(answer);
      else {
        answered += 1;
        settle(answer.kind === 'answer' ? restoreInput(answer, input) : answer);
      }
      return typeof answer !== 'string';
    });
    const output = { onStdout: (chunk: Buffer) => lines.add(chunk), onStop: () => lines.close() };
    const records = checked.slice(next).flatMap((each) => ('input' in each ? toRecord(each.input) : []));
    const run = start(records.join(''), output);
    stop = run.stop;
    const end = await run.ended;
    if (end.stop === 'fault') {
      const broken = endFailure(end, call.timeoutMs) ?? unanswered(end);
      const [first] = inputs.slice(Math.max(0, next - 1));
      if (first !== undefined) onIncomplete(broken, end, first);
      return broken;
    }
    const input = due();
    if (input === undefined) return undefined;

    const shared = call.signal.aborted ? stoppedCall(call, 'running the engine') : spawnFailure(end);
    const failure = shared ?? endFailure(end, call.timeoutMs) ?? unanswered(end);
    onIncomplete(failure, end, input);
    if (shared !== undefined || end.stop === 'closed') return endAll(failure);
    answered += 1;
    settle(failed(failure));
    await run.exited;
  }
}

/** A path that was refused once stays refused. */
function recheck(each: CheckedInput): Promise<CheckedInput> | CheckedInput {
  return 'input' in each && each.input.recheck !== undefined ? each.input.recheck() : each;
}

function unanswered(end: ChildEnd): Failure {
  return engineFailure(`the engine ended with exit status ${end.code} before it answered for this file`, end);
}

/** One JSONL record: the path to read and, where it differs, the name to route and display by. */
export function toRecord({ path, name }: EngineInput): string {
  return `${JSON.stringify({ path, ...(name !== undefined && { name }) })}\n`;
}

/** Puts the path of an error line back to what the caller wrote; a record's `id` goes. */
export function restoreInput(answer: Answer, input: EngineInput | undefined): Answer {
  if (answer.value.status !== 'error' || answer.value.input === undefined || input === undefined) return answer;
  const value = { ...answer.value, input: { path: clip(input.requested) } };
  return { kind: 'answer', value, text: JSON.stringify(value) };
}
