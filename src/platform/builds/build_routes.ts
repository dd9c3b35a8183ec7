/** `/v1/projects/{project}/builds`, `/v1/builds`. @module */
import { endpoints } from "../../contract/endpoints.ts";
import { type Caller, reachesProject } from "../core/access/mod.ts";
import type { DeploymentService, DeploymentStore } from "../deployments/mod.ts";
import { Failure, requireDeploy, type Router } from "../core/http/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import type { BuildQueue } from "./queue/build_queue.ts";
import { type BuildRecord, buildToWire, isUnderWay } from "./queue/build_record.ts";
import type { BuildStore } from "./queue/build_store.ts";

export function bindBuildRoutes(router: Router, services: {
  readonly builds: BuildStore;
  readonly buildQueue: BuildQueue;
  readonly deployments: DeploymentStore;
  readonly deploymentService: DeploymentService;
  readonly projects: ProjectStore;
}): void {
  const { builds, buildQueue, deployments, deploymentService, projects } = services;

  const toWire = (build: BuildRecord, project: string) =>
    buildToWire(build, { project, ahead: buildQueue.ahead(build.id) });

  /** Finds a build in the caller's workspace. Builds in other workspaces are not found. */
  async function find(caller: Caller, id: string) {
    const owner = await deployments.owner(id);
    const own = owner?.workspaceId === caller.workspace.id &&
        reachesProject(caller, owner.projectId)
      ? owner
      : undefined;
    const [build, project] = own === undefined ? [] : await Promise.all([
      builds.find(own.projectId, id),
      projects.find(own.workspaceId, own.projectId),
    ]);
    if (build !== undefined && project !== undefined) return { build, project };
    const { slug } = caller.workspace;
    throw new Failure("not_found", `Build ${id} does not exist in workspace "${slug}"`);
  }

  router.guarded(endpoints.listBuilds, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const page = await builds.list(project.id, query);
    return {
      items: page.items.map((build) => toWire(build, project.name)),
      nextCursor: page.nextCursor,
    };
  });

  router.guarded(endpoints.getBuild, async (caller, { params }) => {
    const { build, project } = await find(caller, params.build);
    return toWire(build, project.name);
  });

  router.guarded(endpoints.cancelBuild, async (caller, { params, note }) => {
    const { build, project } = await find(caller, params.build);
    note({ before: build });
    const deployment = await deployments.find(project.id, build.id);
    if (!isUnderWay(build) || deployment === undefined) {
      throw new Failure("conflict", `Build ${build.id} cannot be cancelled: it is ${build.state}`);
    }
    requireDeploy(caller, deployment.environment);
    await deploymentService.stop(deployment, project);
    return toWire(await builds.find(project.id, build.id) ?? build, project.name);
  });
}
