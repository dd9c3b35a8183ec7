/**
 * @module Gives threads that keep a processor busy the lowest priority, because a function that
 * loops until its timeout must not slow down other functions. A thread that works in short bursts,
 * like most functions, keeps its priority.
 */
import { constants, setPriority } from "node:os";

/** The window over which a thread's activity is measured, in milliseconds. */
const WINDOW_MS = 250;

/**
 * A thread counts as busy if it ran for at least this fraction of the time during which it was not
 * waiting for a processor.
 */
const BURNING = 0.8;

/**
 * Minimum fraction of CPU time for that decision. On a busy machine, a looping thread mostly waits,
 * so it looks much like any other thread.
 */
const LEAST = 0.25;

/** `proc(5)` counts in clock ticks; USER_HZ is 100 on all systems that Deno supports. */
const TICK_MS = 10;

export const CALM_PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL;
export const BURNING_PRIORITY = constants.priority.PRIORITY_LOW;

/** CPU time and waiting time of a thread, in milliseconds. */
export interface ThreadTimes {
  readonly ran: number;
  /** Waiting time; 0 if the system does not measure it. */
  readonly waited: number;
}

/** CPU times, which are missing if the system does not report them. */
interface CpuTimes {
  /** Returns the CPU time of a process, including all its threads, in milliseconds. */
  process(pid: number): number | undefined;
  /** Returns the CPU times of a process's threads, by thread ID. */
  threads(pid: number): ReadonlyMap<number, ThreadTimes>;
}

/**
 * Reads the user and kernel time in a `stat` line. They are fields 14 and 15, and are found by
 * counting from the end of the name.
 */
function timeOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/**
 * Reads a thread's times from `schedstat`, in nanoseconds, or from `stat` if the kernel has no
 * `schedstat`.
 */
function timesOfThread(folder: string): ThreadTimes {
  try {
    const [ran, waited] = Deno.readTextFileSync(`${folder}/schedstat`).split(" ");
    return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 };
  } catch {
    return { ran: timeOf(Deno.readTextFileSync(`${folder}/stat`)), waited: 0 };
  }
}

/** CPU times from `/proc`. There are none on systems without `/proc`. */
export const procTimes: CpuTimes = {
  process(pid) {
    try {
      return timeOf(Deno.readTextFileSync(`/proc/${pid}/stat`));
    } catch {
      return undefined;
    }
  },
  threads(pid) {
    const times = new Map<number, ThreadTimes>();
    try {
      for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
        times.set(Number(name), timesOfThread(`/proc/${pid}/task/${name}`));
      }
    } catch { /* a thread or the process has exited */ }
    return times;
  },
};

/**
 * Sets a thread's priority if the system allows it. Lowering a priority is always allowed, but
 * raising it rarely is.
 */
export function setThreadPriority(thread: number, priority: number): void {
  try {
    setPriority(thread, priority);
  } catch { /* not allowed, or the thread has exited */ }
}

interface CpuWatchOptions {
  readonly times: CpuTimes;
  /** A clock that never jumps, in milliseconds. */
  readonly now: () => number;
  readonly setPriority: (thread: number, priority: number) => void;
}

/** Watches the threads of one process. */
export class CpuWatch {
  #lookedAt: number;
  #process: number | undefined;
  #threads: ReadonlyMap<number, ThreadTimes> = new Map();
  #burning = new Set<number>();

  readonly #pid: number;
  readonly #options: CpuWatchOptions;

  constructor(pid: number, options: CpuWatchOptions) {
    this.#pid = pid;
    this.#options = options;
    this.#lookedAt = options.now();
  }

  /**
   * Measures once per window, and measures threads only if the process is busy. Must be called
   * often.
   */
  look(): void {
    const { times, now } = this.#options;
    const passed = now() - this.#lookedAt;
    if (passed < WINDOW_MS) return;
    const before = this.#process;
    this.#lookedAt += passed;
    this.#process = times.process(this.#pid);
    const isBusy = before !== undefined && this.#process !== undefined &&
      this.#process - before >= passed * LEAST;
    if (!isBusy && this.#threads.size === 0) return;
    this.#judge(isBusy ? times.threads(this.#pid) : new Map(), passed);
  }

  #judge(threads: ReadonlyMap<number, ThreadTimes>, passed: number): void {
    const burning = new Set<number>();
    for (const [thread, { ran, waited }] of threads) {
      const before = this.#threads.get(thread);
      if (before === undefined) continue;
      const had = ran - before.ran;
      const wanted = BURNING * (passed - (waited - before.waited));
      if (had >= Math.max(wanted, LEAST * passed)) burning.add(thread);
    }
    for (const thread of burning) {
      if (!this.#burning.has(thread)) this.#options.setPriority(thread, BURNING_PRIORITY);
    }
    for (const thread of this.#burning) {
      if (!burning.has(thread)) this.#options.setPriority(thread, CALM_PRIORITY);
    }
    this.#burning = burning;
    this.#threads = threads;
  }
}
