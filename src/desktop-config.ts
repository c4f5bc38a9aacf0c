import { type Config, ConfigError, loadConfig, PLACEHOLDER, readRoots } from './config.js';

/** Between these two arguments stand the folders that were chosen. */
const FOLDERS = '--folders';
const END = '--end';

/** The arguments by which the bundle's manifest hands over a person's settings. */
export const DESKTOP_ARGUMENTS = {
  seconds: '--call-seconds=',
  processes: '--processes=',
  folders: [FOLDERS, END],
} as const;

/** A number that the person may set. */
interface NumberSetting {
  readonly flag: string;
  readonly called: string;
  readonly written: RegExp;
  readonly max: number;
}

const SECONDS: NumberSetting = {
  flag: DESKTOP_ARGUMENTS.seconds,
  called: 'the seconds that a call may take',
  written: /^\d+(\.\d+)?$/,
  max: 2_147_483,
};
const PROCESSES: NumberSetting = {
  flag: DESKTOP_ARGUMENTS.processes,
  called: 'the number of processes at once',
  written: /^\d+$/,
  max: 256,
};

/**
 * The settings of a server that a desktop client starts from the bundle: those of the environment, and before them what
 * the person has set. Blank values and unexpanded `${…}` count as not set. Other arguments are passed over: Electron
 * has been seen to add some of its own.
 * @throws ConfigError for a value that cannot be used, and where the client does not say which folders were chosen: the
 * limit that a person has set must not get lost on the way.
 */
export function desktopConfig(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Config {
  const config = loadConfig(env);
  const warnings = [...config.warnings];
  const folders = chosenFolders(args);
  const seconds = numberOf(SECONDS, args);
  const roots = folders.length > 0 ? readRoots('the list of allowed folders', folders, warnings) : config.roots;
  if (roots === undefined)
    warnings.push('no folder was chosen in the settings of this extension: every file that you can open may be read');
  return {
    ...config,
    roots,
    timeoutMs: seconds === undefined ? config.timeoutMs : Math.max(1, Math.round(seconds * 1000)),
    maxConcurrency: numberOf(PROCESSES, args) ?? config.maxConcurrency,
    warnings,
  };
}

/** The folders as they were passed; none where nothing was chosen, which the client says by nothing or a placeholder. */
function chosenFolders(args: readonly string[]): string[] {
  const from = args.indexOf(FOLDERS);
  const to = args.lastIndexOf(END);
  if (from === -1 || to < from)
    throw new ConfigError(
      `the client did not pass ${FOLDERS} … ${END}, so that the allowed folders are not known; install the bundle anew`,
    );
  const passed = args.slice(from + 1, to).filter((folder) => folder.trim() !== '');
  return passed.length === 1 && PLACEHOLDER.test(passed[0] ?? '') ? [] : passed;
}

function numberOf({ flag, called, written, max }: NumberSetting, args: readonly string[]): number | undefined {
  const settings = args.slice(0, args.indexOf(FOLDERS));
  const value = settings
    .find((arg) => arg.startsWith(flag))
    ?.slice(flag.length)
    .trim();
  if (!value || PLACEHOLDER.test(value)) return undefined;
  const number = Number(value);
  if (written.test(value) && number > 0 && number <= max) return number;
  throw new ConfigError(`${called}: ${JSON.stringify(value)} was set; valid is a number above 0, at most ${max}`);
}
