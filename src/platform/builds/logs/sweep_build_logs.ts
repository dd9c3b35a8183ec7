/** Removes build logs whose deployment was removed, which a crash can leave behind. @module */
import type { BuildLogs, LoggedBuild } from "./build_logs.ts";

/** How many logs one round checks; the next round continues there. */
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

  /** Returns the number of removed logs. Safe at any time: deployments are stored before logs. */
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
