/** Sets up git builds: queue, worker, runner and logs. @module */
import { join } from "node:path";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import type { DeploymentDatabases } from "../databases/mod.ts";
import type { DeploymentService, DeploymentStore } from "../deployments/mod.ts";
import { type GitService, PUSHED_FOLDER, PushedRepositories, repositoryBlobs } from "../git/mod.ts";
import type { GitCredentialStore, ProjectStore } from "../projects/mod.ts";
import type { VariableService, VariableStore } from "../variables/mod.ts";
import type { BuildLogLine } from "../../contract/build_logs.ts";
import { isDeploymentUnderWay } from "../../contract/deployments.ts";
import type { Random } from "../../lib/clock.ts";
import { formatCount } from "../../lib/format.ts";
import { BuildQueue } from "./queue/build_queue.ts";
import { bindBuildRoutes } from "./build_routes.ts";
import { commitDeployer, type DeployCommit } from "./deploy_commit.ts";
import type { BuildSettings } from "./build_settings.ts";
import { BuildStore } from "./queue/build_store.ts";
import { BuildWorker } from "./queue/build_worker.ts";
import { BuildLogArchive, buildLogBlobs } from "./logs/build_log_archive.ts";
import { BuildLogs, type LoggedBuild } from "./logs/build_logs.ts";
import { SharedBuildLogs } from "./logs/shared_build_logs.ts";
import { bindBuildLogRoutes } from "./logs/routes.ts";
import { BuildLogSweep } from "./logs/sweep_build_logs.ts";
import { type OpenBuilds, openBuilds } from "./open_builds.ts";
import type { OpenSandbox } from "./sandbox/sandbox_access.ts";
import type { BuildRunner } from "./types.ts";

export interface Builds {
  readonly git: GitService;
  readonly runner: BuildRunner;
  readonly builds: BuildStore;
  readonly buildQueue: BuildQueue;
  readonly sharedBuildLogs: SharedBuildLogs;
  /** The store of pushed repositories, if other nodes accept pushes too. */
  readonly pushedRepositories: PushedRepositories | undefined;
  readonly deployCommit: DeployCommit;
  /** The build sandbox, for other programs that read untrusted input. */
  readonly sandbox: OpenSandbox;
  readonly capability: Capability;
}

interface BuildsParts {
  readonly projects: ProjectStore;
  readonly gitCredentials: GitCredentialStore;
  readonly variables: VariableStore;
  readonly variableService: VariableService;
  readonly databases: Pick<DeploymentDatabases, "openVariables" | "prepare">;
  readonly deployments: DeploymentStore;
  readonly deploymentService: DeploymentService;
  readonly settings: BuildSettings;
  /** Folders on this machine that may contain projects' repositories. */
  readonly gitRoots: readonly string[];
  /** Maximum number of builds that run at the same time; by default, one per two processors. */
  readonly concurrency: number | undefined;
  /** Called with each line of a build's log, without secrets. Never waits. */
  readonly onBuildLine?: ((build: LoggedBuild, line: BuildLogLine) => void) | undefined;
  /** Opens git and the build runner; by default, the platform's own. */
  readonly open: OpenBuilds | undefined;
}

/** Allows one build per two processors, because a build can use two. */
const defaultConcurrency = () => Math.max(1, Math.floor(navigator.hardwareConcurrency / 2));

/** Returns a random offset from 0 to 999 for positions in the queue. */
function placeShift(random: Random): number {
  const [high, low] = random(2);
  return (high! * 256 + low!) % 1000;
}

export function createBuilds(foundation: Foundation, parts: BuildsParts): Builds {
  const { kv, nodes, random, dataDir, events, closing, now, onTrouble } = foundation;
  const { deployments, projects, deploymentService } = parts;
  const buildLogs: BuildLogs = new BuildLogs(join(dataDir.root, "build_logs"), {
    now,
    onLine: parts.onBuildLine,
    onEnded: (build) => sharedBuildLogs.hasEnded(build),
  });
  const repositories = new PushedRepositories({
    ...foundation,
    root: join(dataDir.root, PUSHED_FOLDER),
  });
  const pushedRepositories = nodes.isShared ? repositories : undefined;
  const opened = (parts.open ?? openBuilds)({
    ...foundation,
    ...parts,
    buildLogs,
    pushedRepositories,
    credentials: parts.gitCredentials.open,
  });
  const { git, runner } = opened;
  const builds = new BuildStore(kv, nodes.isShared ? placeShift(random) : 0);
  const archive = new BuildLogArchive(foundation);
  const sharedBuildLogs = new SharedBuildLogs({
    ...foundation,
    local: buildLogs,
    archive,
    deployments,
    instance: nodes.isShared ? nodes.instance : undefined,
    runnerOf: ({ projectId, deploymentId }) => builds.runnerOf(projectId, deploymentId),
  });
  const buildQueue = new BuildQueue({
    builds,
    now,
    onTrouble,
    nodes: nodes.isShared ? nodes : undefined,
    async isWanted({ projectId, id }) {
      const deployment = await deployments.find(projectId, id);
      return deployment !== undefined && isDeploymentUnderWay(deployment.status);
    },
    worker: new BuildWorker({ ...foundation, ...parts, runner, raiseEvent: events.raise }),
    concurrency: parts.concurrency ?? defaultConcurrency(),
  });
  const deployCommit = commitDeployer({
    ...foundation,
    ...parts,
    builds,
    buildQueue,
    variables: parts.variableService,
    raiseEvent: events.raise,
  });
  const sweep = new BuildLogSweep({
    buildLogs,
    exists: async ({ deploymentId }) => await deployments.owner(deploymentId) !== undefined,
  });
  return {
    git,
    runner,
    builds,
    buildQueue,
    sharedBuildLogs,
    deployCommit,
    pushedRepositories,
    sandbox: opened.sandbox ?? (() => Promise.resolve(undefined)),
    capability: {
      name: "builds",
      bindRoutes(router) {
        bindBuildRoutes(router, { builds, buildQueue, deployments, deploymentService, projects });
        bindBuildLogRoutes(router, { deployments, sharedBuildLogs, closing, onTrouble });
      },
      storeChanged: (changed) => buildQueue.follow(changed),
      rereadStore: () => buildQueue.takeUp(),
      async start() {
        if (!nodes.isShared) await repositories.unshare(onTrouble);
        await opened.recover?.();
        await buildQueue.start();
      },
      async close() {
        await buildQueue.close();
        await opened.close();
      },
      async tidyNode(signal) {
        const removed = await sweep.run(signal);
        const archived = await sharedBuildLogs.archiveAll(signal);
        return [
          ...(removed === 0
            ? []
            : [`removed ${formatCount(removed, "build log")} of deleted deployments`]),
          ...(archived === 0
            ? []
            : [`shared ${formatCount(archived, "build log")} with all nodes`]),
        ];
      },
      forgetProject: (projectId) => buildQueue.dropProject(projectId),
      deploymentStopped: async ({ id }) => {
        await buildQueue.drop(id);
      },
      async *neededBlobs() {
        yield* buildLogBlobs(kv);
        yield* repositoryBlobs(kv);
      },
      async removeProject(projectId) {
        await git.removeMirror(projectId);
        await runner.forgetProject(projectId);
        await builds.removeProject(projectId);
      },
    },
  };
}
