// What the drivers share.
import { spawn } from 'node:child_process';

/**
 * What a stand-in for a model does: in each turn it asks for the next of the calls, with an id, and after the last it
 * has nothing to ask. Each turn's input is kept in `inputs`, as the client gave it.
 */
export function standIn(calls) {
  const inputs = [];
  const turn = (input) => {
    inputs.push(structuredClone(input));
    const call = calls[inputs.length - 1];
    return call && { id: `call_${inputs.length}`, name: call.name, arguments: call.arguments };
  };
  return { inputs, turn };
}

/** Runs a command-line client on this Node; resolves to what it printed and its exit status. */
export function runCommand(args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}
