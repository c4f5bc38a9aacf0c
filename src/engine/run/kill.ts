import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

/** A program and its arguments. */
export interface Tool {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Signals a child's whole process group. Windows has no groups: there the first signal has the system's tool end the
 * tree of the child, and SIGKILL ends the child by its own handle, whatever became of the tool. Never throws.
 */
export function killTree(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform !== 'win32') killGroup(child, signal);
  else if (signal === 'SIGKILL') child.kill(signal);
  else if (child.pid !== undefined) endByTool(child, taskkill(child.pid, process.env));
}

/** Ends what is left of the group of a child that has exited; nothing where there are no groups. */
export function killRest(child: ChildProcess): void {
  if (process.platform !== 'win32') killGroup(child, 'SIGKILL');
}

function killGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone already.
  }
}

/**
 * Has a tool end a child with all that it has started. Where the tool cannot be started or reports an error, the child
 * itself is ended by its handle, which can hit no other process.
 */
export function endByTool(child: Pick<ChildProcess, 'kill'>, { command, args }: Tool): void {
  const byHandle = () => void child.kill('SIGKILL');
  try {
    spawn(command, args, { stdio: 'ignore', windowsHide: true })
      .on('error', byHandle)
      .on('exit', (code) => {
        if (code !== 0) byHandle();
      });
  } catch {
    // Some of what keeps a process from being started is thrown, not told by event.
    byHandle();
  }
}

/** The Windows command that ends a process and its descendants. */
export function taskkill(pid: number, env: NodeJS.ProcessEnv): Tool {
  const system = env.SystemRoot ?? 'C:\\Windows';
  return {
    command: path.win32.join(system, 'System32', 'taskkill.exe'),
    args: ['/PID', String(pid), '/T', '/F'],
  };
}
