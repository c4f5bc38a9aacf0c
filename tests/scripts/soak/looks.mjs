// The looks at files that a server has been asked for, and what they may cost where they hang.

/** Looks that one process of the server takes at once. */
const IN_ONE_PROCESS = 256;
/** Processes more than it takes: one for the roots' own looks, one that is to end soon. */
const SPARE_PROCESSES = 2;
/** What the server has open for each of its processes: three pipes. */
const DESCRIPTORS = 3;

export class Looks {
  /** Looks that hang, from their start until the script ends: nothing lets go of them before. */
  hung = 0;
  /** Processes that look at files and were ended from outside. */
  killed = 0;

  /** @param dead the script's DeadFolder. @param settings of the `start` step. */
  constructor(dead, { deadRoot = false, spareDescriptors }) {
    this.dead = dead;
    // A root is looked at once for the operator and once for the calls.
    if (deadRoot) this.hung += 2;
    this.fewDescriptors = spareDescriptors !== undefined;
  }

  /** A request is made. */
  begin(request) {
    this.hung += pathsOf(request).filter((each) => this.dead.holds(each)).length;
  }

  /** Whether a look may fail for other reasons than that it hangs. */
  get mayFail() {
    return this.killed > 0 || this.fewDescriptors;
  }

  /**
   * The most processes that look at files, or have and are not let go by the kernel: one is kept while it has room, and
   * further ones are started only while nothing comes back.
   */
  get mostProcesses() {
    return Math.ceil(this.hung / IN_ONE_PROCESS) + SPARE_PROCESSES + this.killed;
  }

  /** Descriptors that these take. */
  get mostDescriptors() {
    return this.hung === 0 ? 0 : this.mostProcesses * DESCRIPTORS;
  }
}

function pathsOf({ args }) {
  const { path, paths } = Object(args);
  return [path, ...(Array.isArray(paths) ? paths : [])];
}
