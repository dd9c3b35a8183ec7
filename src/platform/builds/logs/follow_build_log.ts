/**
 * Reading the log of a build from its first line to its last, while it is written.
 *
 * @module
 */
import type { BuildLogLine } from "../../../contract/mod.ts";
import type { DeploymentRecord, DeploymentStore } from "../../deployments/mod.ts";
import type { BuildLogs, LoggedBuild } from "./build_logs.ts";

/** How often to check whether a build has begun, in milliseconds. */
const WAIT_MS = 500;

/** True while a deployment may still be built. */
export function isBeingBuilt(deployment: Pick<DeploymentRecord, "status"> | undefined): boolean {
  return deployment?.status === "PENDING" || deployment?.status === "BUILDING";
}

/** Calls back with the existing lines, then with new ones; false where the signal ended that. */
export async function followBuildLog(
  { buildLogs, deployments }: {
    readonly buildLogs: BuildLogs;
    readonly deployments: Pick<DeploymentStore, "find">;
  },
  build: LoggedBuild,
  { onLines, signal }: {
    onLines(lines: readonly BuildLogLine[]): void;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  let seen = 0;
  const take = (lines: readonly BuildLogLine[]) => {
    const fresh = lines.filter(({ number }) => number > seen);
    seen = fresh.at(-1)?.number ?? seen;
    if (fresh.length > 0) onLines(fresh);
  };
  while (!signal.aborted) {
    const waiting: BuildLogLine[] = [];
    let live = false;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const leave = buildLogs.follow(build, (line) => {
      if (line === undefined) end();
      else if (live) take([line]);
      else waiting.push(line);
    });
    try {
      take(await buildLogs.read(build));
      if (leave !== undefined) {
        take(waiting);
        live = true;
        signal.addEventListener("abort", () => end(), { once: true });
        await ended;
      }
    } finally {
      leave?.();
    }
    if (!isBeingBuilt(await deployments.find(build.projectId, build.deploymentId))) {
      take(await buildLogs.read(build));
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  return false;
}
