/**
 * Removes the logs of builds whose deployment is gone: a crash between removing its records and
 * removing its log leaves a log behind.
 *
 * @module
 */
import type { BuildLogs, LoggedBuild } from "./build_logs.ts";

/** How many logs one round checks; the next round continues after them. */
const MAX_LOOKED_AT = 1000;

export interface BuildLogSweepOptions {
  readonly buildLogs: BuildLogs;
  exists(build: LoggedBuild): Promise<boolean>;
  readonly maxLookedAt?: number;
}

export class BuildLogSweep {
  #walk: AsyncGenerator<LoggedBuild> | undefined;

  readonly #options: BuildLogSweepOptions;

  constructor(options: BuildLogSweepOptions) {
    this.#options = options;
  }

  /**
   * Runs one round and returns how many logs it removed. It is safe at any time, as a
   * deployment is stored before its log is opened.
   */
  async run(signal: AbortSignal): Promise<number> {
    const { buildLogs, exists, maxLookedAt = MAX_LOOKED_AT } = this.#options;
    let removed = 0;
    for (let left = maxLookedAt; left > 0 && !signal.aborted; left--) {
      this.#walk ??= buildLogs.all();
      const { value: build, done } = await this.#walk.next();
      if (done) {
        this.#walk = undefined;
        break;
      }
      if (buildLogs.isOpen(build) || await exists(build)) continue;
      await buildLogs.remove(build);
      removed++;
    }
    return removed;
  }
}
