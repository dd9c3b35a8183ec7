/** Deploys another environment's content to production, without building or uploading. @module */
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { RollingPlan } from "../../contract/releases.ts";
import type { RaiseEvent } from "../core/events/mod.ts";
import { Failure } from "../core/http/mod.ts";
import { productionDeploymentId, type ProjectRecord } from "../projects/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import { type DeploymentRecord, isServed } from "./deployment.ts";
import { deploymentEvent } from "./deployment_event.ts";
import type { DeploymentService } from "./deployment_service.ts";
import type { DeployedDatabases } from "./running_code.ts";
import { contentOf, recordDeployment, type RecordServices } from "./record_deployment.ts";

interface PromoteServices extends RecordServices {
  readonly service: Pick<
    DeploymentService,
    "activateOrFail" | "rollBack" | "releaseAgain" | "rolling"
  >;
  readonly databases: Pick<DeployedDatabases, "schemaDifference">;
  readonly addresses: Addresses;
  readonly raiseEvent: RaiseEvent;
  /** Returns whether a production deployment has the variables that production currently sees. */
  isCurrent(deployment: DeploymentRecord, project: ProjectRecord): Promise<boolean>;
}

/**
 * Rejects a preview whose migration has changed only the preview's own database.
 *
 * @throws {Failure}
 */
async function requireMigratedMain(
  { databases }: Pick<PromoteServices, "databases">,
  source: DeploymentRecord,
): Promise<void> {
  if (source.database?.migrate === undefined) return;
  const { total = 0 } = await databases.schemaDifference(source) ?? {};
  if (total === 0) return;
  throw new Failure(
    "conflict",
    `Cannot promote deployment ${source.id}: its migration has not run on production's database yet`,
    { hint: "To migrate it, deploy to production: run svc deploy --prod, or push" },
  );
}

/**
 * Returns the live production deployment, if it serves the preview's content with the current
 * variables.
 */
async function alreadyPromoted(
  services: PromoteServices,
  source: DeploymentRecord,
  project: ProjectRecord,
): Promise<DeploymentRecord | undefined> {
  const liveId = productionDeploymentId(project);
  if (liveId === null) return undefined;
  const live = await services.deployments.find(project.id, liveId);
  if (live?.promotedFrom !== source.id) return undefined;
  return await services.isCurrent(live, project) ? live : undefined;
}

/**
 * Makes production serve the content of `source`, and returns the deployment that it serves:
 * `source` itself if it is a production deployment, otherwise a copy. Do not call this for two
 * deployments of a project at the same time.
 *
 * @throws {Failure} `conflict` if there is no content, or if the deployment's server does not
 * start.
 */
export async function promote(
  services: PromoteServices,
  source: DeploymentRecord,
  { project, rolling, startedBy }: {
    readonly project: ProjectRecord;
    readonly startedBy: string;
    /** How to serve the deployment to a share of the visitors first; missing to serve it to all. */
    readonly rolling?: RollingPlan | undefined;
  },
): Promise<DeploymentRecord> {
  if (productionDeploymentId(project) === source.id) return source;
  if (!isServed(source.status)) {
    throw new Failure(
      "conflict",
      `Cannot promote deployment ${source.id}: it is ${source.status}, not live`,
    );
  }
  if (source.environment === ENVIRONMENT_PRODUCTION) {
    const running = await services.deployments.runningRelease(project.id);
    if (running?.to === source.id && rolling === undefined) {
      const finished = await services.service.rolling.finish(running, "Promoted manually");
      return finished.deployment;
    }
    if (rolling !== undefined) {
      return await services.service.releaseAgain(project, source.id, rolling);
    }
    return (await services.service.rollBack(project, { to: source.id })).live;
  }
  const promoted = await alreadyPromoted(services, source, project);
  if (promoted !== undefined) return promoted;
  await requireMigratedMain(services, source);
  const created = await recordDeployment(services, project, {
    wanted: {
      ...contentOf(source),
      environment: ENVIRONMENT_PRODUCTION,
      startedBy,
      promotedFrom: source.id,
    },
  });
  await services.raiseEvent(deploymentEvent("started", created, services.addresses));
  return await services.service.activateOrFail(created, { rolling });
}
