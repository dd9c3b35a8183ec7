/** Reads a build log from start to end while it is being written. @module */
import type { BuildLogLine } from "../../../contract/build_logs.ts";
import type { DeploymentRecord, DeploymentStore } from "../../deployments/mod.ts";
import { PeerError } from "../../core/peers/mod.ts";
import type { LoggedBuild } from "./build_logs.ts";
import type { SharedBuildLogs } from "./shared_build_logs.ts";

/** How often to check whether a build has started, in milliseconds. */
const WAIT_MS = 500;

/** Returns true while a deployment may still be built. */
export function isBeingBuilt(deployment: Pick<DeploymentRecord, "status"> | undefined): boolean {
  return deployment?.status === "PENDING" || deployment?.status === "BUILDING";
}

/**
 * Calls back with the existing lines, and then with new ones. Returns false if the signal was
 * aborted before the log was complete.
 */
export async function followBuildLog(
  { sharedBuildLogs, deployments }: {
    readonly sharedBuildLogs: SharedBuildLogs;
    readonly deployments: Pick<DeploymentStore, "find">;
  },
  build: LoggedBuild,
  { onLines, signal }: {
    onLines(lines: readonly BuildLogLine[]): void;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  let [seen, runner]: [number, string | undefined] = [0, undefined];
  const take = (lines: readonly BuildLogLine[]) => {
    const fresh = lines.filter(({ number }) => number > seen);
    seen = fresh.at(-1)?.number ?? seen;
    if (fresh.length > 0) onLines(fresh);
  };
  while (!signal.aborted) {
    const source = await sharedBuildLogs.find(build);
    // Another node has restarted the build in the meantime.
    if (runner !== undefined && source.runner !== undefined && source.runner !== runner) seen = 0;
    runner = source.runner ?? runner;
    try {
      for await (const lines of sharedBuildLogs.follow(source, build, signal)) take(lines);
    } catch (error) {
      // Another node may take over the build, or the unreachable node may become reachable again.
      if (!(error instanceof PeerError)) throw error;
    }
    if (signal.aborted) return false;
    if (!isBeingBuilt(await deployments.find(build.projectId, build.deploymentId))) {
      take((await sharedBuildLogs.read(build)).lines);
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  return false;
}
