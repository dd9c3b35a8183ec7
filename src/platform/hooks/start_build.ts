/** `POST /v1/projects/{project}/builds`: builds a branch without a hook. @module */
import { endpoints } from "../../contract/endpoints.ts";
import { ENVIRONMENT_PREVIEW, ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import {
  type BuildQueue,
  type BuildRecord,
  type BuildStore,
  buildToWire,
  type DeployCommit,
  NotAdmittedError,
} from "../builds/mod.ts";
import type { DeploymentService, DeploymentStore } from "../deployments/mod.ts";
import { Failure, requireDeploy, type Router } from "../core/http/mod.ts";
import { findProject, type ProjectRecord, type ProjectStore } from "../projects/mod.ts";
import type { CommitResolver } from "./commit_resolver.ts";

/** Maximum number of attempts to build a commit whose branch keeps getting other builds. */
const ATTEMPTS = 5;

export interface StartServices {
  readonly projects: ProjectStore;
  readonly deployments: DeploymentStore;
  readonly deploymentService: Pick<DeploymentService, "stop">;
  readonly builds: BuildStore;
  readonly buildQueue: Pick<BuildQueue, "ahead">;
  readonly deployCommit: DeployCommit;
  readonly commits: Pick<CommitResolver, "resolve">;
  readonly closing: AbortSignal;
}

type CommitDeployment = Parameters<DeployCommit>[0];

/** Creates a commit's deployment, and cancels an older build of the branch. */
async function deploy(services: StartServices, wanted: CommitDeployment): Promise<string> {
  const { deployCommit, deployments, deploymentService } = services;
  for (let attempt = 1;; attempt++) {
    try {
      return (await deployCommit(wanted)).id;
    } catch (error) {
      if (!(error instanceof NotAdmittedError) || attempt === ATTEMPTS) throw error;
      const { admission } = error;
      if (admission.type === "identical") return admission.id;
      const outdated = await deployments.find(wanted.project.id, admission.id);
      if (outdated !== undefined) await deploymentService.stop(outdated, wanted.project);
    }
  }
}

async function findBuild(
  { builds }: StartServices,
  project: ProjectRecord,
  id: string,
): Promise<BuildRecord> {
  const build = await builds.find(project.id, id);
  if (build !== undefined) return build;
  throw new Failure("conflict", `Build ${id} was deleted`);
}

export function bindStartBuild(router: Router, services: StartServices): void {
  const { commits } = services;
  router.guarded(endpoints.startBuild, async (caller, { params, body, request }) => {
    const project = await findProject(services.projects, caller, params.project);
    const { branch = project.branch, commitSha, force } = body;
    const isProduction = branch === project.branch;
    const environment = isProduction ? ENVIRONMENT_PRODUCTION : ENVIRONMENT_PREVIEW;
    requireDeploy(caller, environment);
    const signal = AbortSignal.any([request.signal, services.closing]);
    const { sha, message, author } = await commits.resolve(project, { branch, commitSha }, signal);
    const id = await deploy(services, {
      project,
      environment,
      branch,
      message,
      author,
      force,
      commitSha: sha,
      startedBy: caller.user.id,
      trigger: "request",
    });
    const build = await findBuild(services, project, id);
    return buildToWire(build, { project: project.name, ahead: services.buildQueue.ahead(id) });
  });
}
