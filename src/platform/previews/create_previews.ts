/**
 * Wires up protected previews.
 *
 * @module
 */
import type { AccountParts } from "../accounts/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { keys } from "../core/store/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import { findProject, type ProjectRecord, type ProjectStore } from "../projects/mod.ts";
import type { AccessTable } from "./access_table.ts";
import { PreviewService } from "./preview_service.ts";
import { PreviewSignIn } from "./preview_sign_in.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { ENVIRONMENT_PREVIEW, ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { PreviewShare } from "../../contract/previews.ts";
import { type Caller, reachesProject } from "../core/access/mod.ts";
import { Failure, requireDeploy, type Router } from "../core/http/mod.ts";

interface PreviewRouteServices {
  readonly projects: ProjectStore;
  readonly deployments: Pick<DeploymentStore, "owner" | "find">;
  readonly service: PreviewService;
}

/** Returns the environment that a share link shows. */
async function environmentOf(
  { deployments }: Pick<PreviewRouteServices, "deployments">,
  project: ProjectRecord,
  { deploymentId, branch }: Pick<PreviewShare, "deploymentId" | "branch">,
): Promise<string> {
  const deployment = deploymentId === null
    ? undefined
    : await deployments.find(project.id, deploymentId);
  if (deployment !== undefined) return deployment.environment;
  return branch === project.branch ? ENVIRONMENT_PRODUCTION : ENVIRONMENT_PREVIEW;
}

function bindPreviewRoutes(router: Router, services: PreviewRouteServices): void {
  const { projects, deployments, service } = services;
  const find = (caller: Caller, name: string) => findProject(projects, caller, name);

  router.guarded(
    endpoints.getPreviewAccess,
    async (caller, { params }) => service.read(await find(caller, params.project)),
  );

  router.guarded(endpoints.updatePreviewAccess, async (caller, { params, body, note }) => {
    const project = await find(caller, params.project);
    note({ before: await service.read(project) });
    return await service.update(project, body);
  });

  router.guarded(endpoints.createBypassKey, async (caller, { params }) => {
    const project = await find(caller, params.project);
    return { project: project.name, key: await service.createBypassKey(project) };
  });

  router.guarded(endpoints.deleteBypassKey, async (caller, { params, note }) => {
    const project = await find(caller, params.project);
    note({ before: { project: project.name } });
    await service.deleteBypassKey(project);
    return undefined;
  });

  router.guarded(endpoints.createShare, async (caller, { params, body, note }) => {
    const { workspace } = caller;
    const id = params.deployment;
    const owner = await deployments.owner(id);
    const deployment =
      owner?.workspaceId === workspace.id && reachesProject(caller, owner.projectId)
        ? await deployments.find(owner.projectId, id)
        : undefined;
    if (deployment === undefined) {
      const { slug } = workspace;
      throw new Failure("not_found", `Deployment ${id} does not exist in workspace "${slug}"`);
    }
    requireDeploy(caller, deployment.environment);
    if (body.scope === "branch") {
      // The production branch's host also shows production deployments.
      const project = await find(caller, deployment.projectId);
      const shown = { deploymentId: null, branch: deployment.branch };
      requireDeploy(caller, await environmentOf(services, project, shown));
    }
    const share = await service.share(deployment, { ...body, caller });
    note({ after: { project: share.project } });
    return share;
  });

  router.guarded(endpoints.listShares, async (caller, { params, query }) => {
    const shares = await service.shares(await find(caller, params.project));
    const { cursor, limit } = query;
    const rest = cursor === undefined ? shares : shares.filter(({ id }) => id < cursor);
    const items = rest.slice(0, limit);
    return { items, nextCursor: rest.length > limit ? items.at(-1)!.id : null };
  });

  router.guarded(endpoints.deleteShare, async (caller, { params, note }) => {
    const project = await find(caller, params.project);
    const share = (await service.shares(project)).find(({ id }) => id === params.share);
    if (share !== undefined) requireDeploy(caller, await environmentOf(services, project, share));
    note({ before: await service.revoke(project, params.share) });
    return undefined;
  });
}

export interface Previews {
  /** Lets members sign in to protected hosts. Used by the edge and by the pages for signing in. */
  readonly signIn: PreviewSignIn;
  readonly capability: Capability;
}

export function createPreviews(foundation: Foundation, { table, projects, deployments, accounts }: {
  readonly table: AccessTable;
  readonly projects: ProjectStore;
  readonly deployments: DeploymentStore;
  readonly accounts: AccountParts;
}): Previews {
  const { passwords } = accounts;
  const service = new PreviewService({ ...foundation, table, passwords });
  return {
    signIn: new PreviewSignIn(accounts),
    capability: {
      name: "previews",
      bindRoutes: (router) => bindPreviewRoutes(router, { projects, deployments, service }),
      async storeChanged(changed) {
        for (const [family, projectId] of changed) {
          if (family === "preview_access") await table.refresh(String(projectId));
        }
      },
      rereadStore: () => table.refreshAll(),
      forgetProject(projectId) {
        table.forget(projectId);
        return Promise.resolve();
      },
      async *projectKeys(projectId) {
        yield await Promise.resolve(keys.previewAccess(projectId));
      },
    },
  };
}
