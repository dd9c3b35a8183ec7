/** Deploys a deployment's content again, with the current variables. @module */
import type { Addresses } from "../core/addresses.ts";
import type { RaiseEvent } from "../core/events/mod.ts";
import { Failure } from "../core/http/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import type { DeploymentRecord } from "./deployment.ts";
import { deploymentEvent } from "./deployment_event.ts";
import type { DeploymentService } from "./deployment_service.ts";
import { awaitsMigration } from "./migrations.ts";
import { contentOf, recordDeployment, type RecordServices } from "./record_deployment.ts";

interface RedeployServices extends RecordServices {
  readonly service: Pick<DeploymentService, "activateOrFail">;
  readonly addresses: Addresses;
  readonly raiseEvent: RaiseEvent;
  hasEnvironment(projectId: string, name: string): Promise<boolean>;
}

/**
 * Redeploys a deployment, and returns the one that is live afterwards.
 *
 * @throws {Failure} `conflict` if there is no build or environment; `blobs_missing`
 */
export async function redeploy(
  services: RedeployServices,
  source: DeploymentRecord,
  { project, startedBy }: {
    readonly project: ProjectRecord;
    readonly startedBy: string | undefined;
  },
): Promise<DeploymentRecord> {
  const { id, environment, contentSha } = source;
  if (contentSha === null) {
    throw new Failure("conflict", `Deployment ${id} has no content: its build never finished`);
  }
  if (awaitsMigration(source)) {
    throw new Failure(
      "conflict",
      `Cannot redeploy ${id}: its migration failed. Deploy the project, or push a commit`,
    );
  }
  if (!await services.hasEnvironment(project.id, environment)) {
    throw new Failure(
      "conflict",
      `Cannot redeploy ${id}: its environment "${environment}" was deleted`,
    );
  }
  const created = await recordDeployment(services, project, {
    wanted: {
      ...contentOf(source),
      environment,
      startedBy,
      promotedFrom: source.promotedFrom,
      redeployOf: id,
    },
  });
  await services.raiseEvent(deploymentEvent("started", created, services.addresses));
  return await services.service.activateOrFail(created);
}
