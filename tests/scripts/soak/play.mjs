// One script from its first step to its last, in a folder of its own.
import { needsDead } from './dead-folder.mjs';
import { Player } from './steps.mjs';

/** What a script ends with in any case: nothing under way, and an orderly end. */
const CLOSING = [{ do: 'settle' }, { do: 'end', by: 'eof' }];

/**
 * Plays a script.
 * @param run `workshop`, `tally`, `contention`, `timed`, `baseline`, and `stopped`, which ends it before its time.
 * @returns the violation, `{ name, sentence, complaints, step }`, or undefined.
 */
export async function playScript(script, run) {
  const workspace = run.workshop.workspace();
  const player = new Player(workspace, run);
  const abandon = () => {
    // A server that hangs there might not end.
    workspace.dead.end();
    return player.abandon();
  };
  run.abandon = abandon;
  try {
    if (needsDead(script)) workspace.dead.make();
    for (const [step, each] of [...script, ...CLOSING].entries()) {
      if (run.stopped) return undefined;
      const violation = await player.perform(each);
      if (violation !== undefined) return { ...violation, step };
    }
    return undefined;
  } finally {
    await abandon();
    workspace.engineProcesses();
    run.tally.add('engine processes', workspace.engineStarts);
    workspace.remove();
  }
}

/** Descriptors, and bytes that are held, of a server that has answered a few calls and rests. */
export async function measureBaseline(run) {
  const workspace = run.workshop.workspace();
  const player = new Player(workspace, run);
  try {
    await player.perform({ do: 'call', id: 1, tool: 'probe', args: { path: '{docs}/deck.pptx' } });
    await player.perform({ do: 'call', id: 2, tool: 'probe_batch', args: { paths: ['{docs}/deck.pptx', 'missing'] } });
    await player.perform({ do: 'call', id: 3, tool: 'list_formats', args: {} });
    const violation = await player.perform({ do: 'settle' });
    if (violation !== undefined)
      throw new Error(`a new server already fails: ${violation.name}, ${violation.sentence}`);
    return { ...player.session.usage(), held: await player.session.server.held() };
  } finally {
    await player.abandon();
    workspace.remove();
  }
}
