// The command line of the soak.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SCENARIOS } from './generate.mjs';

export const USAGE = `Usage: npm run soak -- [options]

  --minutes N     how long new scripts are begun (default 5; fractions are allowed)
  --scripts N     how many scripts are played at most
  --seed N        where the random scripts begin (default 1)
  --without A,B   leaves scenarios out: ${SCENARIOS.join(', ')}
  --often A,B     plays scenarios that are steps much more often than others
  --untimed       holds only what does not depend on the machine's speed
  --script FILE   plays a script that was printed
  --replays N     how often it is played (default 1)
`;
function parseScript(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '' && !line.startsWith('#')).map((line) => JSON.parse(line));
}

/** @throws Error with what is wrong, for a person. */
export function readOptions() {
  const text = { type: 'string' };
  const options = { minutes: text, scripts: text, seed: text, without: text, often: text, script: text, replays: text };
  const { values } = parseArgs({ options: { ...options, untimed: { type: 'boolean' } } });
  const number = (name, otherwise) => {
    const value = Number(values[name] ?? otherwise);
    if (!(value > 0)) throw new Error(`--${name} takes a number over 0, not ${values[name]}`);
    return value;
  };
  const names = (option) => {
    const named = new Set((values[option] ?? '').split(',').filter((name) => name !== ''));
    const unknown = [...named].find((name) => !SCENARIOS.includes(name));
    if (unknown !== undefined) throw new Error(`there is no scenario ${unknown}`);
    return named;
  };
  const scripts = number('scripts', Number.POSITIVE_INFINITY);
  return {
    // A number of scripts alone is not cut short by the clock.
    minutes: number('minutes', values.scripts === undefined ? 5 : Number.POSITIVE_INFINITY),
    scripts,
    seed: number('seed', 1),
    without: names('without'),
    often: names('often'),
    timed: values.untimed !== true,
    replays: number('replays', 1),
    script: values.script === undefined ? undefined : parseScript(values.script),
  };
}
