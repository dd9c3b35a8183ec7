/** Cleans up after the platform has crashed, before any build starts. @module */
import { join } from "node:path";
import { BUILD_MARK } from "../../../lib/build_process.ts";
import { killMarked } from "../../../lib/marked_processes.ts";
import { namesIn } from "../../../lib/missing_files.ts";
import { StillRunningError } from "../sandbox/end_processes.ts";
import { endUsers } from "../sandbox/sandbox.ts";
import { removeBuildFolder } from "./build_folder.ts";
import { ownPlaces, sharedPlaces } from "./build_places.ts";

/** Number of users that builds may have used. No platform runs more builds in parallel. */
const MAX_USERS = 1000;

interface RecoverOptions {
  readonly dataDir: string;
  /** Identifies the processes and folders of this platform's builds. */
  readonly mark: string;
  readonly firstUid: number;
  onTrouble(message: string): void;
}

/** Kills the builds that a crash left running, and removes their folders. */
export async function recoverBuilds(options: RecoverOptions): Promise<void> {
  const { dataDir, mark, firstUid, onTrouble } = options;
  const shared = sharedPlaces(mark);
  const left = await Promise.all([ownPlaces(dataDir), shared].map(({ builds }) => namesIn(builds)));
  // Every running build has a folder. If there is none, the slow scan of all processes is skipped.
  if (left.every((names) => names.length === 0)) return;
  await killMarked(`${BUILD_MARK}=${mark}`);
  if (left[1]!.length > 0) {
    await endUsers(firstUid, firstUid + MAX_USERS).catch((error) => {
      if (!(error instanceof StillRunningError)) throw error;
      onTrouble(`${error.message}, which a build left behind`);
    });
  }
  for (const { builds } of [ownPlaces(dataDir), shared]) {
    for (const name of await namesIn(builds)) await removeBuildFolder(join(builds, name));
  }
}
