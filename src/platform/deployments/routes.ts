/** `/v1/projects/{project}/deployments`, `/v1/deployments`, and rollbacks. @module */
import { endpoints } from "../../contract/endpoints.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { KeyedLock } from "../../lib/keyed_lock.ts";
import { inTurns } from "../../lib/next_turn.ts";
import type { Caller } from "../core/access/mod.ts";
import { type VariableService, type VariableStore, versionFor } from "../variables/mod.ts";
import { findEnvironmentName } from "../environments/mod.ts";
import { Failure, requireDeploy, type Router } from "../core/http/mod.ts";
import type { BlobStore, BlobVault } from "../core/store/mod.ts";
import {
  findProject,
  productionDeploymentId,
  type ProjectRecord,
  type ProjectStore,
} from "../projects/mod.ts";
import { checkDeployment, createDeployment, type CreateServices } from "./create_deployment.ts";
import { type DeploymentRecord, deploymentToWire, meeting } from "./deployment.ts";
import type { DeploymentService } from "./deployment_service.ts";
import { compareContents, compareVariables, usualBase } from "./compare.ts";
import { promote } from "./promote.ts";
import { type DeploymentContent, readContent } from "./content.ts";
import { redeploy } from "./redeploy.ts";
import type { DeployedDatabases } from "./running_code.ts";
import { requireOwner, unknownDeployment } from "./require_owner.ts";

type NewDeploymentServices = Omit<CreateServices, "blobs" | "variables">;

interface DeploymentRouteServices extends NewDeploymentServices {
  readonly projects: ProjectStore;
  readonly vault: Pick<BlobVault, "of">;
  readonly databases: Pick<DeployedDatabases, "schemaDifference">;
  readonly service: Pick<
    DeploymentService,
    | "activateOrFail"
    | "stage"
    | "migrate"
    | "rollBack"
    | "releaseAgain"
    | "rolling"
    | "whenEdgesCurrent"
    | "stop"
  >;
  readonly variables: Pick<VariableStore, "versions">;
  readonly variableService:
    & CreateServices["variables"]
    & Pick<VariableService, "changedReferences" | "snapshotValues">;
}

/** Reads a deployment's content. @throws {Failure} `conflict` if it was never built. */
async function describedContent(
  blobs: BlobStore,
  { id, contentSha }: DeploymentRecord,
): Promise<DeploymentContent> {
  if (contentSha !== null) return await readContent(blobs, contentSha);
  throw new Failure("conflict", `Deployment ${id} has no content: its build never finished`);
}

/** Returns the deployments that production served before and after a call. */
const productionChange = (before: ProjectRecord, after: ProjectRecord) => ({
  before: { productionDeploymentId: productionDeploymentId(before) },
  after: { productionDeploymentId: productionDeploymentId(after) },
});

export function bindDeploymentRoutes(router: Router, services: DeploymentRouteServices): void {
  const { deployments, projects, addresses, vault, service, variables } = services;

  const promotions = new KeyedLock();

  const isCurrent = async (deployment: DeploymentRecord, project: ProjectRecord) =>
    versionFor(await variables.versions(project.id), ENVIRONMENT_PRODUCTION) ===
      deployment.variablesVersion &&
    (await services.variableService.changedReferences(project)(deployment)).size === 0;

  async function allToWire(list: readonly DeploymentRecord[], project: ProjectRecord) {
    const versions = await variables.versions(project.id);
    const productionId = productionDeploymentId(project);
    const changed = services.variableService.changedReferences(project);
    return await Promise.all(list.map(async (deployment) =>
      deploymentToWire(deployment, {
        addresses,
        productionId,
        variablesVersion: versionFor(versions, deployment.environment),
        changedReferences: await changed(deployment),
      })
    ));
  }

  const toWire = async (deployment: DeploymentRecord, project: ProjectRecord) =>
    (await allToWire([deployment], project))[0]!;

  /**
   * Finds a deployment in the caller's workspace. Deployments in other workspaces are treated as
   * unknown.
   */
  async function find(caller: Caller, id: string) {
    const { projectId, workspaceId } = await requireOwner(deployments, caller, id);
    const [deployment, project] = await Promise.all([
      deployments.find(projectId, id),
      projects.find(workspaceId, projectId),
    ]);
    if (deployment === undefined || project === undefined) throw unknownDeployment(caller, id);
    return { deployment, project };
  }

  /** @throws {Failure} if the caller may not deploy to an environment, given by name or ID */
  async function requireDeployTo(caller: Caller, project: ProjectRecord, reference: string) {
    const { environments } = services;
    requireDeploy(caller, await findEnvironmentName(environments, project, reference));
  }

  const findAgain = async (project: ProjectRecord) =>
    await projects.find(project.workspaceId, project.id) ?? project;

  router.guarded(endpoints.createDeployment, async (caller, { params, body }) => {
    const project = await findProject(projects, caller, params.project);
    await requireDeployTo(caller, project, body.environment);
    const blobs = vault.of(caller.workspace.id);
    const created = await createDeployment(
      { ...services, blobs, variables: services.variableService },
      project,
      { ...body, startedBy: caller.user.id },
    );
    return { deployment: await toWire(created.deployment, project), missing: [...created.missing] };
  });

  router.guarded(endpoints.checkDeployment, async (caller, { params, body }) => {
    const project = await findProject(projects, caller, params.project);
    await requireDeployTo(caller, project, body.environment);
    const blobs = vault.of(caller.workspace.id);
    return await checkDeployment({ ...services, blobs }, project, body);
  });

  router.guarded(endpoints.listDeployments, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const { limit, cursor, environment, ...filter } = query;
    const name = environment === undefined
      ? undefined
      : await findEnvironmentName(services.environments, project, environment);
    const shows = meeting({ ...filter, environment: name });
    const page = await deployments.list(project.id, { limit, cursor, shows });
    await service.whenEdgesCurrent(project.id);
    return {
      items: await allToWire(page.items, project),
      nextCursor: page.nextCursor,
    };
  });

  router.guarded(endpoints.getDeployment, async (caller, { params }) => {
    const { deployment, project } = await find(caller, params.deployment);
    await service.whenEdgesCurrent(project.id);
    return toWire(deployment, project);
  });

  router.guarded(endpoints.migrateDeployment, async (caller, { params, body }) => {
    const { deployment } = await find(caller, params.deployment);
    requireDeploy(caller, deployment.environment);
    return await service.migrate(deployment, body.result);
  });

  router.guarded(endpoints.stageDeployment, async (caller, { params }) => {
    const { deployment } = await find(caller, params.deployment);
    requireDeploy(caller, deployment.environment);
    return await service.stage(deployment);
  });

  router.guarded(endpoints.activateDeployment, async (caller, { params, body, note }) => {
    const { deployment, project } = await find(caller, params.deployment);
    requireDeploy(caller, deployment.environment);
    // A copy of a deployment has no project folder in which to run commands.
    const isCopy = deployment.promotedFrom !== null || deployment.redeployOf !== null;
    const commands = isCopy ? undefined : () => Promise.resolve(body.commands ?? []);
    const live = await service.activateOrFail(deployment, {
      commands,
      rolling: deployment.environment === ENVIRONMENT_PRODUCTION ? body.rolling : undefined,
    });
    const current = await findAgain(project);
    note(productionChange(project, current));
    return toWire(live, current);
  });

  router.guarded(endpoints.stopDeployment, async (caller, { params, body, note }) => {
    const { deployment, project } = await find(caller, params.deployment);
    note({ before: { status: deployment.status } });
    requireDeploy(caller, deployment.environment);
    return toWire(await service.stop(deployment, project, body), project);
  });

  router.guarded(endpoints.promoteDeployment, async (caller, { params, body, note }) => {
    const { project } = await find(caller, params.deployment);
    const live = await promotions.run(project.id, async () => {
      const current = await find(caller, params.deployment);
      return await promote(
        { ...services, variables: services.variableService, isCurrent },
        current.deployment,
        { project: current.project, rolling: body.rolling, startedBy: caller.user.id },
      );
    });
    const current = await findAgain(project);
    note(productionChange(project, current));
    return toWire(live, current);
  });

  router.guarded(endpoints.redeployDeployment, async (caller, { params, note }) => {
    const { deployment, project } = await find(caller, params.deployment);
    requireDeploy(caller, deployment.environment);
    const live = await redeploy(
      {
        ...services,
        variables: services.variableService,
        hasEnvironment: async (projectId, name) =>
          await services.environments.findName(projectId, name) !== undefined,
      },
      deployment,
      { project, startedBy: caller.user.id },
    );
    const current = await findAgain(project);
    note(productionChange(project, current));
    return toWire(live, current);
  });

  /** Finds the deployment with which to compare another deployment of the project. */
  async function findBase(caller: Caller, project: ProjectRecord, id: string | undefined) {
    if (id === undefined) {
      throw new Failure(
        "conflict",
        "There is no other production deployment. Choose a deployment to compare with",
      );
    }
    const base = await find(caller, id);
    if (base.project.id === project.id) return base.deployment;
    throw new Failure("conflict", `Deployment ${id} belongs to another project`);
  }

  router.guarded(endpoints.compareDeployments, async (caller, { params, query }) => {
    const { deployment, project } = await find(caller, params.deployment);
    const baseId = query.base ?? usualBase(project.productionHistory, deployment.id);
    const base = await findBase(caller, project, baseId);
    const blobs = vault.of(caller.workspace.id);
    const [before, after, valuesBefore, valuesAfter, wire] = await Promise.all([
      describedContent(blobs, base),
      describedContent(blobs, deployment),
      services.variableService.snapshotValues(base.id),
      services.variableService.snapshotValues(deployment.id),
      allToWire([base, deployment], project),
    ]);
    return {
      base: wire[0]!,
      deployment: wire[1]!,
      ...await inTurns(compareContents(before, after)),
      variables: await inTurns(compareVariables(valuesBefore, valuesAfter)),
    };
  });

  router.guarded(endpoints.rollback, async (caller, { params, body, note }) => {
    const project = await findProject(projects, caller, params.project);
    const { live, undone } = await service.rollBack(project, {
      undo: body.deploymentId,
      to: body.to,
    });
    const current = await findAgain(project);
    note({
      before: { productionDeploymentId: undone.id, project: project.name },
      after: { productionDeploymentId: live.id },
    });
    return {
      deployment: await toWire(live, current),
      rolledBack: await toWire(undone, current),
    };
  });
}
