/**
 * Removes build logs whose deployment has been removed. A crash can leave such logs behind.
 *
 * @module
 */
import type { BuildLogs, LoggedBuild } from "./build_logs.ts";

/**
 * Maximum number of logs that are checked per round. The next round continues with the next log.
 */
const MAX_LOOKED_AT = 1000;

interface BuildLogSweepOptions {
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
   * Returns the number of removed logs. Can be called at any time, because deployments are stored
   * before their logs.
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
