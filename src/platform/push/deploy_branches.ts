/**
 * Builds pushed branches, streams their progress, and ends the previews of deleted branches.
 *
 * @module
 */
import {
  type DeployCommit,
  followBuildLog,
  NotAdmittedError,
  type SharedBuildLogs,
} from "../builds/mod.ts";
import { isDeploymentUnderWay } from "../../contract/deployments.ts";
import { ENVIRONMENT_PREVIEW, ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { schemaLines } from "../../lib/schema_lines.ts";
import type { Addresses } from "../core/addresses.ts";
import { Failure, toFailure } from "../core/http/mod.ts";
import {
  type BuildTrigger,
  canMove,
  type DeploymentRecord,
  type DeploymentService,
  type DeploymentStore,
} from "../deployments/mod.ts";
import type { GitService } from "../git/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";

/**
 * Maximum number of branches to build per push. The remaining branches are not built until they are
 * pushed again.
 */
export const MAX_BUILDS = 10;

/** Maximum number of attempts to build a commit whose branch keeps getting other builds. */
const ATTEMPTS = 5;

/** How often to check whether a deployment has gone live, in milliseconds. */
const LOOK_MS = 250;

export interface BranchServices {
  readonly deployCommit: DeployCommit;
  readonly deployments: DeploymentStore;
  readonly deploymentService: Pick<DeploymentService, "stop">;
  readonly sharedBuildLogs: SharedBuildLogs;
  readonly git: Pick<GitService, "resolve">;
  readonly addresses: Addresses;
  /** Receives messages for the operator. */
  onTrouble(message: string): void;
}

/** A branch that was pushed. */
interface PushedBranch {
  readonly branch: string;
  readonly sha: string;
  /** ID of the person who pushed the branch. */
  readonly startedBy: string;
  /** Whether the branch was pushed or its files were uploaded. */
  readonly trigger: Extract<BuildTrigger, "push" | "upload">;
}

/** The client that follows the progress of a push. */
export interface Listener {
  /** Prints a line to the person who pushed. */
  say(line: string): void;
  /** Aborted when no one is listening any longer. The builds continue. */
  readonly signal: AbortSignal;
}

/** Returns the environment to which a branch is deployed. */
export const environmentOf = (project: ProjectRecord, branch: string): string =>
  branch === project.branch ? ENVIRONMENT_PRODUCTION : ENVIRONMENT_PREVIEW;

const short = (sha: string): string => sha.slice(0, 7);

export class BranchDeployer {
  readonly #services: BranchServices;

  constructor(services: BranchServices) {
    this.#services = services;
  }

  /**
   * Builds a branch, and follows the build as long as a client is waiting. Returns why the build
   * failed; `undefined` if it did not.
   */
  async deploy(
    project: ProjectRecord,
    pushed: PushedBranch,
    listener: Listener,
  ): Promise<string | undefined> {
    try {
      const deployment = await this.start(project, pushed, listener);
      return await this.#follow(deployment, listener);
    } catch (error) {
      const failure = toFailure(error);
      if (failure.status >= 500) {
        this.#services.onTrouble(
          `Cannot deploy pushed branch '${pushed.branch}': ${String(error)}`,
        );
      }
      listener.say(`svc: cannot deploy ${pushed.branch}: ${failure.message}`);
      return failure.message;
    }
  }

  /** Stops all previews of a branch that was deleted. */
  async remove(project: ProjectRecord, branch: string, { say }: Listener): Promise<void> {
    let count = 0;
    for await (const deployment of this.#services.deployments.all(project.id)) {
      if (deployment.branch !== branch || deployment.environment === ENVIRONMENT_PRODUCTION) {
        continue;
      }
      if (deployment.source !== "git" || !canMove(deployment.status, "STOPPED")) continue;
      await this.#services.deploymentService.stop(deployment, project);
      count++;
    }
    say(`svc: deleted ${branch}${count === 0 ? "" : " and its preview"}`);
  }

  /** Starts building a branch's head, and cancels the build of an older commit. */
  async start(
    project: ProjectRecord,
    { branch, sha, startedBy, trigger }: PushedBranch,
    { say }: Pick<Listener, "say">,
  ): Promise<DeploymentRecord> {
    const { deployCommit, deployments, deploymentService, git } = this.#services;
    const wanted = { branch, commitSha: sha };
    const found = await git.resolve(project, wanted, new AbortController().signal);
    if (found.type !== "found") {
      throw new Failure("conflict", `Branch '${branch}' changed during the push. Push again`);
    }
    const environment = environmentOf(project, branch);
    const { message, author } = found;
    for (let attempt = 1;; attempt++) {
      try {
        const deployment = await deployCommit({
          ...wanted,
          project,
          environment,
          message,
          author,
          startedBy,
          trigger,
          force: false,
        });
        say(`svc: building ${short(sha)} of ${branch} for ${environment}`);
        return deployment;
      } catch (error) {
        if (!(error instanceof NotAdmittedError) || attempt === ATTEMPTS) throw error;
        const other = await deployments.find(project.id, error.admission.id);
        if (other === undefined) continue;
        if (error.admission.type === "identical") {
          say(`svc: ${short(sha)} of ${branch} is already deployed`);
          return other;
        }
        say(`svc: cancelled the outdated build of ${short(other.commitSha ?? "")}`);
        await deploymentService.stop(other, project);
      }
    }
  }

  async #follow(
    { id, projectId }: DeploymentRecord,
    { say, signal }: Listener,
  ): Promise<string | undefined> {
    await followBuildLog(this.#services, { projectId, deploymentId: id }, {
      onLines: (lines) => lines.forEach(({ text }) => say(text)),
      signal,
    });
    while (!signal.aborted) {
      const deployment = await this.#services.deployments.find(projectId, id);
      if (deployment === undefined) return "the deployment was deleted";
      if (!isDeploymentUnderWay(deployment.status)) return this.#end(deployment, say);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return undefined;
  }

  #end(deployment: DeploymentRecord, say: (line: string) => void): string | undefined {
    const { addresses } = this.#services;
    const { branch, environment, status, error, commitSha } = deployment;
    if (status === "STOPPED" && error !== null) {
      say(`svc: ${branch} was not built: ${error}`);
      say(
        "svc: the previous deployment is still live. Build anyway with `svc builds start --rebuild`",
      );
      return undefined;
    }
    if (status !== "LIVE") {
      const reason = status === "FAILED" ? error ?? "failed" : "the build was stopped";
      say(`svc: ${branch} is not live: ${reason}`);
      say(
        `svc: the platform has stored ${short(commitSha ?? "")}, so the next push will be small`,
      );
      say("svc: commit a fix and push again. The previous deployment is still live");
      return reason;
    }
    const isProduction = environment === ENVIRONMENT_PRODUCTION;
    const shown = isProduction ? deployment.projectName : deployment.branchLabel;
    say(`svc: ${branch} is live at ${addresses.url(shown)}`);
    say(`svc: permanent URL: ${addresses.url(deployment.uniqueLabel)}`);
    const schema = schemaLines(deployment.schemaDifference);
    if (schema !== undefined) {
      for (const line of [schema.title, ...schema.lines]) say(`svc: ${line}`);
    }
    return undefined;
  }
}
