/**
 * `/deployments/{id}`: the page that notifications of a deployment link to.
 *
 * @module
 */
import type { Authenticator } from "../../platform/accounts/mod.ts";
import type { BuildLogs } from "../../platform/builds/mod.ts";
import type { Addresses } from "../../platform/core/addresses.ts";
import type { DeploymentStore } from "../../platform/deployments/mod.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import { type PageBinder, pageContextOf } from "../visit/mod.ts";
import { deploymentPage } from "./deployment_page.tsx";

export interface DeploymentPageServices {
  readonly workspaces: WorkspaceService;
  readonly authenticator: Pick<Authenticator, "memory">;
  readonly deployments: DeploymentStore;
  readonly buildLogs: BuildLogs;
  readonly addresses: Addresses;
}

/** Lines of a build log that the page shows. */
const SHOWN_LINES = 200;

export function bindDeploymentPages(bind: PageBinder, services: DeploymentPageServices): void {
  const { workspaces, authenticator, deployments, buildLogs, addresses } = services;

  bind.personal("GET", "/deployments/:deployment", async (visit) => {
    const id = (visit.params.deployment ?? "").slice(0, 64);
    const owner = await deployments.owner(id);
    // One of another workspace is as unknown as none.
    const workspace = owner === undefined
      ? undefined
      : await authenticator.memory.workspaceOf(visit.person.user.id, owner.workspaceId);
    const deployment = owner === undefined || workspace === undefined
      ? undefined
      : await deployments.find(owner.projectId, id);
    if (deployment === undefined) {
      throw new Failure("not_found", "The deployment does not exist, or is of another workspace");
    }
    const { projectId, uniqueLabel } = deployment;
    const lines = await buildLogs.read({ projectId, deploymentId: id });
    return deploymentPage(await pageContextOf(visit, workspaces), {
      deployment,
      url: addresses.url(uniqueLabel),
      lines: lines.slice(-SHOWN_LINES),
    });
  });
}
