// Plays random clients against the built server over an engine that misbehaves, and checks after each step what always
// holds. At a failure it looks for the shortest script that fails the same way, prints it, and ends with status 1.
// Usage: npm run soak -- [--minutes N] [--seed N] [--without SCENARIO,...] [--often SCENARIO,...]
//   [--scripts N] [--untimed] [--script FILE]
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { whyNoDeadMount } from './dead-mount.mjs';
import { ENGINE } from './native.mjs';
import { Contention } from './soak/contention.mjs';
import { needsDead } from './soak/dead-folder.mjs';
import { DEAD, generateScript } from './soak/generate.mjs';
import { readOptions, USAGE } from './soak/options.mjs';
import { measureBaseline, playScript } from './soak/play.mjs';
import { clock, Progress } from './soak/progress.mjs';
import { shrink } from './soak/shrink.mjs';
import { Tally } from './soak/tally.mjs';
import { Workshop } from './soak/workspace.mjs';

/** To shrink a failing script: scripts played at most, and time, milliseconds. */
const SHRINK_RUNS = 200;
const SHRINK_MS = 180_000;
/** A failure that depends on chance shows itself in one of so many replays, or is printed as it is. */
const REPLAYS = 3;
/** Apart, so that the scripts of two seeds that follow each other do not overlap. */
const SEED_STRIDE = 1_000_003;

class Soak {
  tally = new Tally();
  contention = new Contention();
  stopped = false;
  #began = performance.now();
  #doing = 'a new server';

  constructor(folder, { seed, minutes, scripts, without, often, timed }) {
    this.workshop = new Workshop(folder, ENGINE);
    Object.assign(this, { seed, minutes, scripts, without, often, timed });
  }

  /** Ends it with what it has. */
  stop() {
    this.stopped = true;
    void this.abandon?.();
  }

  /** @returns the failure, `{ violation, script, about }`, or undefined. */
  async random() {
    await this.#prepare();
    for (let number = 0; this.#goesOn(number); number += 1) {
      this.#doing = `script ${number + 1}`;
      const script = generateScript(this.seed * SEED_STRIDE + number, this.without, this.often);
      const violation = await playScript(script, this);
      if (!this.stopped) this.tally.add('scripts');
      if (violation !== undefined) return this.#shrunk(script, violation, number);
    }
    return undefined;
  }

  /** Plays one script some times, until it fails. */
  async replay(script, times) {
    await this.#prepare();
    for (let number = 0; number < times && !this.stopped; number += 1) {
      this.#doing = `replay ${number + 1}`;
      const violation = await playScript(script, this);
      if (!this.stopped) this.tally.add('scripts');
      if (violation !== undefined) return { violation, script, about: [] };
    }
    return undefined;
  }

  async #prepare() {
    this.contention.start();
    this.baseline = await measureBaseline(this);
  }

  #goesOn(number) {
    return !this.stopped && number < this.scripts && performance.now() - this.#began < this.minutes * 60_000;
  }

  async #shrunk(script, violation, number) {
    const until = performance.now() + SHRINK_MS;
    const about = [
      `seed ${this.seed}, script ${number + 1}, ${script.length} steps, failed at step ${violation.step + 1}`,
    ];
    let latest = violation;
    const fails = async (candidate) => {
      const again = await playScript(candidate, { ...this.#quietly(), timed: this.timed });
      if (again?.name !== violation.name) return false;
      latest = again;
      return true;
    };
    this.#doing = `failed (${violation.name}), replaying`;
    // What came after the failure is not needed for it.
    const played = script.slice(0, violation.step + 1);
    for (let replay = 1; replay <= REPLAYS && !this.stopped; replay += 1) {
      if (!(await fails(played))) continue;
      this.#doing = `failed (${violation.name}), shrinking`;
      // One that did not fail at its first replay depends on chance.
      const tries = Math.min(replay, 2);
      const budget = { runs: SHRINK_RUNS, tries, goesOn: () => !this.stopped && performance.now() < until };
      const { script: shortest, runs } = await shrink(played, fails, budget);
      return { violation: latest, script: shortest, about: [...about, `shortest of ${runs + replay} replays`] };
    }
    return { violation, script: played, about: [...about, 'did not fail again when it was replayed'] };
  }

  /** This run as the replays of a failure see it: their figures are not the run's. */
  #quietly() {
    const soak = this;
    return {
      workshop: this.workshop,
      contention: this.contention,
      baseline: this.baseline,
      tally: new Tally(),
      get stopped() {
        return soak.stopped;
      },
      set abandon(work) {
        soak.abandon = work;
      },
    };
  }

  progress() {
    const { tally } = this;
    const limit = Number.isFinite(this.minutes) ? ` of ${clock(this.minutes * 60_000)}` : '';
    const counts = ['steps', 'requests', 'answers'].map((name) => `${tally.sum(name)} ${name}`);
    return `seed ${this.seed}, ${clock(performance.now() - this.#began)}${limit}, ${this.#doing}, ${counts.join(', ')}`;
  }

  print(failure) {
    const rows = [['seed', this.seed], ['time', clock(performance.now() - this.#began)], ...this.tally.rows()];
    if (this.without.size > 0) rows.unshift(['without', [...this.without].join(',')]);
    for (const [name, value] of rows) console.log(`${name.padEnd(32)}${value}`);
    if (this.stopped) console.log('stopped before the end');
    console.log(failure === undefined ? 'nothing failed' : describeFailure(failure));
  }
}

function describeFailure({ violation: { name, sentence, complaints }, script, about }) {
  return [
    `\nFAILED: ${name}: ${sentence}`,
    ...complaints.slice(-5).map((line) => `  stderr: ${line.slice(0, 300)}`),
    '\nThe script, for a file and --script FILE:',
    ...about.map((line) => `# ${line}`),
    ...script.map((step) => JSON.stringify(step)),
  ].join('\n');
}

async function main() {
  let options;
  try {
    options = readOptions();
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const whyNot = whyNoDeadMount();
  if (whyNot !== undefined) {
    console.log(`without a file system that never answers: ${whyNot}`);
    options.without.add(DEAD);
    if (options.script !== undefined && needsDead(options.script)) {
      console.error('the script cannot be played without it');
      process.exitCode = 2;
      return;
    }
  }
  // By its real path: processes are known by the folder that they run in.
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'deckprobe-soak-'));
  const soak = new Soak(folder, options);
  process.on('exit', () => {
    soak.workshop.endDead();
    rmSync(folder, { recursive: true, force: true });
  });
  process.once('SIGINT', () => soak.stop());
  process.once('SIGTERM', () => soak.stop());
  const progress = new Progress();
  progress.start(() => soak.progress());
  const { script, replays } = options;
  const failure = await (script === undefined ? soak.random() : soak.replay(script, replays));
  progress.stop();
  soak.contention.stop();
  soak.print(failure);
  process.exitCode = failure === undefined ? 0 : 1;
}

await main();
