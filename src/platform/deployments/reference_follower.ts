/** Redeploys deployments that refer to a changed URL, in projects that have opted in. @module */
import { messageOf } from "../../lib/error_message.ts";
import type { Nodes } from "../core/nodes/mod.ts";
import { ownLabel } from "../environments/mod.ts";
import { ENVIRONMENT_PREVIEW } from "../../contract/environment_names.ts";
import type { ProjectRecord, ProjectStore } from "../projects/mod.ts";
import type { VariableService } from "../variables/mod.ts";
import type { DeploymentRecord } from "./deployment.ts";
import type { DeploymentStore } from "./deployment_store.ts";

export interface FollowerParts {
  readonly projects: Pick<ProjectStore, "autoRedeploying">;
  /** Returns a number that changes whenever a host changes. */
  hostsRevision(): number;
  readonly deployments: Pick<DeploymentStore, "all" | "findHost">;
  readonly variableService: Pick<VariableService, "changedReferences">;
  readonly nodes: Pick<Nodes, "during">;
  redeploy(deployment: DeploymentRecord, project: ProjectRecord): Promise<unknown>;
  log(message: string): void;
}

export class ReferenceFollower {
  /** Deployments that could not be redeployed. These are retried after a restart, or manually. */
  #failed = new Set<string>();
  /** The state of hosts and projects in the last complete round. */
  #seen = "";
  readonly #parts: FollowerParts;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** Reads deployments only if hosts or projects have changed, because URLs change with hosts. */
  async round(): Promise<void> {
    const { projects, nodes, hostsRevision } = this.#parts;
    await nodes.during("housekeeping", async () => {
      const revision = hostsRevision();
      const asking: ProjectRecord[] = [];
      for await (const project of projects.autoRedeploying()) asking.push(project);
      const seen = [revision, ...asking.map(({ id }) => id)].join(" ");
      if (seen === this.#seen) return;
      const failed = new Set<string>();
      for (const project of asking) {
        for (const deployment of await this.#outdated(project)) {
          if (!await this.#renew(deployment, project)) failed.add(deployment.id);
        }
      }
      this.#failed = failed;
      this.#seen = seen;
    });
  }

  /** Finds deployments that a host serves and whose references now resolve to something else. */
  async #outdated(project: ProjectRecord): Promise<readonly DeploymentRecord[]> {
    const { deployments, variableService } = this.#parts;
    const changed = variableService.changedReferences(project);
    const outdated: DeploymentRecord[] = [];
    for await (const deployment of deployments.all(project.id)) {
      if (deployment.status !== "LIVE" || deployment.references === undefined) continue;
      const label = deployment.environment === ENVIRONMENT_PREVIEW
        ? deployment.branchLabel
        : ownLabel(deployment);
      const host = await deployments.findHost(label);
      if (host?.deploymentId !== deployment.id) continue;
      if ((await changed(deployment)).size > 0) outdated.push(deployment);
    }
    return outdated;
  }

  /** Redeploys a deployment. Returns `false` if this or an earlier attempt failed. */
  async #renew(deployment: DeploymentRecord, project: ProjectRecord): Promise<boolean> {
    if (this.#failed.has(deployment.id)) return false;
    const { redeploy, log } = this.#parts;
    const what = `deployment ${deployment.id} of "${project.name}"`;
    try {
      await redeploy(deployment, project);
      log(`Redeployed ${what}, because a URL in its variables changed`);
      return true;
    } catch (error) {
      // Recorded immediately, because the next round must not redeploy it too if this round ends
      // early.
      this.#failed.add(deployment.id);
      log(`Cannot redeploy ${what}, although a URL in its variables changed: ${messageOf(error)}`);
      return false;
    }
  }
}
