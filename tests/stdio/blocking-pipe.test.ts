import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isBlockingPipe } from '../../src/stdio/blocking-pipe.js';
import { MAIN } from '../helpers/files.js';

const MODULE = pathToFileURL(path.join(path.dirname(MAIN), 'stdio', 'blocking-pipe.js')).href;
const LENGTH = 3 * 1024 * 1024;

/** A process that writes to its stdout through a `BlockingPipe`, called `pipe` in the program. */
function start(program: string) {
  const code = `import(${JSON.stringify(MODULE)}).then(({ BlockingPipe }) => { const pipe = new BlockingPipe(1); ${program} })`;
  const child = spawn(process.execPath, ['-e', code]);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

describe('a pipe that takes as long as its reader', () => {
  it('leaves the event loop free while nobody reads, and loses nothing', async () => {
    const child = start(`
      for (let i = 0; i < 3; i++) pipe.write(String(i).repeat(${LENGTH / 3}));
      setTimeout(() => process.stderr.write(JSON.stringify([pipe.isWriting, pipe.writableLength > 0])), 100);
      pipe.end(() => process.stderr.write(JSON.stringify([pipe.isWriting, pipe.writableLength])));`);
    const [said] = await once(child.stderr.setEncoding('utf8'), 'data');
    expect(said).toBe('[true,true]');
    let read = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      read += text;
    });
    const [atTheEnd] = await once(child.stderr, 'data');
    expect(atTheEnd).toBe('[false,0]');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(read).toBe(['0', '1', '2'].map((digit) => digit.repeat(LENGTH / 3)).join(''));
  });

  it('tells by an error that the reader has gone', async () => {
    const child = start(`
      pipe.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 7 : 8));
      setInterval(() => pipe.write('x'), 5);`);
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([7, null]);
  });

  it('is what standard streams need on Windows only, and for pipes only', () => {
    for (const platform of ['linux', 'darwin'] as const) expect(isBlockingPipe(1, platform)).toBe(false);
    // No descriptor of the process.
    expect(isBlockingPipe(1_000_000, 'win32')).toBe(false);
  });
});
