/** Creates the deployment of a commit, with its build and position in the queue. @module */
import {
  type BuildTrigger,
  deploymentEvent,
  type DeploymentRecord,
  recordDeployment,
  type RecordServices,
} from "../deployments/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import type { RaiseEvent } from "../core/events/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import type { BuildQueue } from "./queue/build_queue.ts";
import type { BuildRecord } from "./queue/build_record.ts";
import type { BuildStore } from "./queue/build_store.ts";
import type { Operation } from "../../store/mod.ts";

interface WantedCommitDeployment {
  readonly project: ProjectRecord;
  readonly environment: string;
  readonly branch: string;
  /** All 40 digits. */
  readonly commitSha: string;
  readonly message: string;
  readonly author: string;
  /** ID of the person who pushed the commit or started the build; missing for a deploy hook. */
  readonly startedBy?: string | undefined;
  readonly trigger: BuildTrigger;
  /** Builds the commit even if it is already deployed. */
  readonly force: boolean;
}

/**
 * Stores a deployment, its build and the changes that `also` adds, in one commit.
 *
 * @throws {NotAdmittedError | Failure} `rate_limited` if too many builds are waiting
 */
export type DeployCommit = (
  wanted: WantedCommitDeployment,
  also?: (operation: Operation, id: string) => Promise<void>,
) => Promise<DeploymentRecord>;

export function commitDeployer(
  services: RecordServices & {
    readonly builds: BuildStore;
    readonly buildQueue: BuildQueue;
    readonly addresses: Addresses;
    readonly raiseEvent: RaiseEvent;
  },
): DeployCommit {
  const { builds, buildQueue, addresses, now } = services;
  return async (wanted, also) => {
    const { project, force, ...commit } = wanted;
    let build: BuildRecord | undefined;
    const deployment = await recordDeployment(services, project, {
      wanted: { ...commit, source: "git", contentSha: null, cron: [], fileCount: 0, totalBytes: 0 },
      also: ({ id }) => ({
        contended: [builds.guardOf({ projectId: project.id, branch: wanted.branch })],
        add: async (operation) => {
          // Each attempt uses a new position, because another node may have taken the same
          // position.
          build = newBuild(wanted, { id, place: builds.nextPlace(now()), now: now() });
          await builds.storeWith(operation, build, force);
          buildQueue.requireRoom();
          await also?.(operation, id);
        },
      }),
    });
    // The commit has stored the event, so a crash cannot lose the event, and no response needs to
    // wait for its delivery.
    services.raiseEvent(deploymentEvent("started", deployment, addresses)).catch(() => {});
    if (build !== undefined) buildQueue.add(build);
    return deployment;
  };
}

function newBuild(
  { project, branch, commitSha, environment, force }: WantedCommitDeployment,
  facts: { readonly id: string; readonly place: number; readonly now: number },
): BuildRecord {
  return {
    id: facts.id,
    projectId: project.id,
    workspaceId: project.workspaceId,
    branch,
    commitSha,
    environment,
    state: "QUEUED",
    place: facts.place,
    attempts: 0,
    forced: force,
    error: null,
    queuedAt: facts.now,
    startedAt: null,
    finishedAt: null,
  };
}
