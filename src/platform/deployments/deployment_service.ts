/**
 * Changes to deployments' states: activation, rollback, stopping. Each change is committed before
 * the edge is notified. After a crash in between, the platform therefore starts with the stored
 * state.
 *
 * @module
 */
import type { SiteDirectory } from "../../edge/mod.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { CommandResult } from "../../contract/release_checks.ts";
import type { RollingPlan } from "../../contract/releases.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import type { RaiseEvent } from "../core/events/mod.ts";
import { Failure } from "../core/http/mod.ts";
import { productionDeploymentId, type ProjectRecord, type ProjectStore } from "../projects/mod.ts";
import type { BlobVault, Committed } from "../core/store/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import type { DeploymentContent } from "./content.ts";
import { canMove, type DeploymentRecord, isServed, moveDeployment } from "./deployment.ts";
import { deploymentEvent } from "./deployment_event.ts";
import type { Activated, DeploymentStore } from "./deployment_store.ts";
import { StaleDecisionError } from "./host_labels.ts";
import { Rollouts } from "./rollouts.ts";
import { requireContent, sealFunctions } from "./ready_content.ts";
import { productionOf } from "./production_change.ts";
import { forgetDeployment } from "./production_history.ts";
import { requireRollback } from "./production_history.ts";
import type { OpenUploads } from "./open_uploads.ts";
import { hasChecks, type ReleaseChecker, type RunCommands } from "./checks/release_checks.ts";
import type { CheckPlace } from "./checks/check_request.ts";
import { BY_HAND, RollingChanges, type RollingServices } from "./rolling_changes.ts";
import { Staging } from "./checks/staging.ts";
import { type FinalFailure, isFinal } from "./final_failures.ts";
import { Migrations, type RunMigration } from "./migrations.ts";
import {
  type DeployedDatabases,
  type DeployedFunctions,
  type DeployedServers,
  ServerNotReadyError,
} from "./running_code.ts";
import type { Lease } from "../../store/mod.ts";

interface DeploymentServices {
  readonly deployments: DeploymentStore;
  readonly projects: Pick<ProjectStore, "update">;
  readonly vault: Pick<BlobVault, "of">;
  readonly sites: Pick<
    SiteDirectory,
    "deploymentAt" | "isPinned" | "point" | "pointLazily" | "removeDeployment"
  >;
  readonly addresses: Addresses;
  /**
   * The servers of deployments. A server starts before production serves its deployment, and stops
   * once production no longer does.
   */
  readonly computeService: Pick<DeployedServers, "prepare" | "purge" | "remove" | "retire">;
  readonly databases: DeployedDatabases;
  readonly uploads: Pick<OpenUploads, "keepAlive">;
  readonly functionService: Pick<DeployedFunctions, "retire" | "seal">;
  onStopped?(deployment: DeploymentRecord, lease?: Lease): Promise<void>;
  /** Checks releases before production serves them. */
  readonly checker: Pick<ReleaseChecker, "placeOf" | "run">;
  readonly collectCounts: RollingServices["collectCounts"];
  readonly raiseEvent: RaiseEvent;
  readonly now: Clock;
  readonly random: Random;
}

interface ActivateOptions {
  /** Runs the checks' commands, if the project's folder is available. */
  readonly commands?: RunCommands | undefined;
  /** Runs the command that migrates the database, if the project's folder is available. */
  readonly migrate?: RunMigration | undefined;
  /**
   * How to serve the deployment to a share of production's visitors first, if production already
   * serves another one; missing to serve it to all visitors immediately.
   */
  readonly rolling?: RollingPlan | undefined;
}

/** After how many seconds to retry a call that has lost a race for production. */
const RETRY_SECONDS = 1;

export class DeploymentService {
  readonly #rollouts = new Rollouts();
  readonly #staging: Staging;
  readonly #rolling: RollingChanges;
  readonly #migrations: Migrations;

  readonly #services: DeploymentServices;

  constructor(services: DeploymentServices) {
    this.#services = services;
    this.#staging = new Staging(services, this.#rollouts);
    this.#rolling = new RollingChanges(services, this.#rollouts);
    this.#migrations = new Migrations(services);
  }

  get rolling(): RollingChanges {
    return this.#rolling;
  }

  /** Gradually releases an earlier production deployment, first to a share of the visitors. */
  async releaseAgain(
    project: ProjectRecord,
    id: string,
    plan: RollingPlan,
  ): Promise<DeploymentRecord> {
    const target = await this.#requireTarget(project, id);
    const { vault } = this.#services;
    await this.#prepare(target, await requireContent(vault.of(target.workspaceId), target));
    return await this.#rolling.beginIfShown(target, plan) ?? target;
  }

  /** Resolves when the edge serves the project's state that was stored at the time of the call. */
  whenEdgesCurrent(projectId: string): Promise<void> {
    return this.#rollouts.settled(projectId);
  }

  /**
   * Makes a deployment live. Does nothing if it is already live.
   *
   * @throws {Failure} `blobs_missing`, or `conflict` if the deployment has ended, its server does
   * not start, or it does not pass its checks.
   */
  async activate(
    deployment: DeploymentRecord,
    options: ActivateOptions = {},
  ): Promise<DeploymentRecord> {
    if (deployment.status === "LIVE") return deployment;
    const { deploying, content } = await this.#makeReady(deployment, options.migrate);
    const { checks } = content.manifest;
    if (deploying.environment === ENVIRONMENT_PRODUCTION && hasChecks(checks)) {
      await this.#staging.check(deploying, checks, options.commands);
    }
    if (options.rolling !== undefined) {
      const released = await this.#rolling.beginIfShown(deploying, options.rolling);
      if (released !== undefined) return released;
    }
    const { deployments, now } = this.#services;
    const activated = await this.#rollouts.run(deploying.projectId, async () => {
      const committed = await deployments.activate(deploying, now()).catch(async (error) => {
        await this.#endUnshown(deploying);
        if (error instanceof StaleDecisionError || error instanceof RangeError) {
          throw new Failure("conflict", error.message, { cause: error });
        }
        throw error;
      });
      await this.#show(committed);
      return committed;
    });
    await this.#raise("live", activated.result.deployment);
    return activated.result.deployment;
  }

  /**
   * Like `activate()`, but a deployment that does not start, or does not pass its checks, fails
   * permanently.
   */
  async activateOrFail(
    deployment: DeploymentRecord,
    options?: ActivateOptions,
  ): Promise<DeploymentRecord> {
    return await this.activate(deployment, options)
      .catch((error) => this.#failed(deployment, error));
  }

  /**
   * Serves a production deployment at its own URL, for its checks. @throws {Failure} for the same
   * reasons as `activate()`
   */
  async stage(deployment: DeploymentRecord): Promise<CheckPlace> {
    if (deployment.status === "LIVE") {
      throw new Failure("conflict", `Deployment ${deployment.id} is already live`);
    }
    const { deploying } = await this.#makeReady(deployment)
      .catch((error) => this.#failed(deployment, error));
    await this.#staging.show(deploying);
    return await this.#services.checker.placeOf(deploying);
  }

  /** Lets a client migrate the database, or records the outcome. @throws {Failure} */
  async migrate(deployment: DeploymentRecord, result: CommandResult | undefined) {
    return await this.#migrations.perform(deployment, result)
      .catch((error) => this.#failed(deployment, error));
  }

  /** Makes production serve an earlier deployment (design: "Rollback"). */
  async rollBack(
    project: ProjectRecord,
    wanted: { readonly undo?: string | undefined; readonly to?: string | undefined },
  ): Promise<{ readonly live: DeploymentRecord; readonly undone: DeploymentRecord }> {
    const running = await this.#services.deployments.runningRelease(project.id);
    if (running !== undefined && (wanted.to === undefined || wanted.to === running.from)) {
      const { deployment: undone } = await this.#rolling.withdraw(project, BY_HAND);
      return { live: await this.#requireTarget(project, running.from), undone };
    }
    const plan = requireRollback(project, wanted);
    const target = await this.#requireTarget(project, plan.to);
    const { deployments, vault, now } = this.#services;
    await this.#prepare(target, await requireContent(vault.of(target.workspaceId), target));
    const rolledBack = await this.#rollouts.run(project.id, async () => {
      const committed = await deployments.rollBack(project, plan, now()).catch((error) => {
        const hasStopped = error instanceof RangeError;
        if (!hasStopped && !(error instanceof StaleDecisionError)) throw error;
        throw new Failure("conflict", "Production has just changed. Try again", {
          retryAfter: RETRY_SECONDS,
          cause: error,
        });
      });
      await this.#show(committed);
      return committed;
    });
    await this.#raise("rolled_back", rolledBack.result.undone);
    return { live: rolledBack.result.deployment, undone: rolledBack.result.undone };
  }

  /**
   * Takes a deployment offline permanently; with `unlessLive`, only if it has never been live.
   *
   * @throws {Failure} `conflict` if the deployment is live in production or, with `unlessLive`, if
   * it has ever been live.
   */
  async stop(
    deployment: DeploymentRecord,
    project: ProjectRecord,
    { unlessLive = false }: { readonly unlessLive?: boolean | undefined } = {},
    lease?: Lease,
  ): Promise<DeploymentRecord> {
    if (deployment.status === "STOPPED") return deployment;
    if (productionDeploymentId(project) === deployment.id) {
      throw new Failure(
        "conflict",
        "Cannot stop the production deployment: roll back or deploy first",
      );
    }
    const { deployments, projects, sites, now } = this.#services;
    const running = await deployments.runningRelease(project.id);
    if (running?.to === deployment.id && !unlessLive) {
      throw new Failure("conflict", "The deployment is being released: withdraw it first");
    }
    const stopped = await this.#move(deployment, "STOPPED", {
      refuses: ({ id, status }) =>
        unlessLive && isServed(status) ? `Deployment ${id} is live` : undefined,
      lease,
    });
    await this.#services.onStopped?.(stopped, lease);
    await this.#services.databases.endMigration(stopped);
    await projects.update([project.workspaceId, project.id], (current) => ({
      ...forgetDeployment(current, deployment.id),
      updatedAt: now(),
    }), { lease });
    await deployments.clearHosts(stopped, lease);
    await sites.removeDeployment(deployment.id);
    await this.#services.computeService.remove(deployment.id);
    await this.#raise("stopped", stopped);
    return stopped;
  }

  #raise(
    moment: "live" | "failed" | "rolled_back" | "stopped",
    deployment: DeploymentRecord,
  ): Promise<void> {
    return this.#services.raiseEvent(deploymentEvent(moment, deployment, this.#services.addresses));
  }

  /** Prepares a deployment to be served. */
  async #makeReady(deployment: DeploymentRecord, migrate?: RunMigration) {
    await this.#services.uploads.keepAlive(deployment.workspaceId, deployment.id);
    const { vault, functionService } = this.#services;
    const blobs = vault.of(deployment.workspaceId);
    const content = await requireContent(blobs, deployment);
    const functions = await sealFunctions(functionService, blobs, content.functions);
    const deploying = await this.#beginActivation(deployment, functions);
    await this.#migrations.settle(deploying, migrate);
    if (deploying.environment === ENVIRONMENT_PRODUCTION) {
      await this.#prepare(deploying, content).catch(async (error) => {
        // Housekeeping removes the rest later. Only the first error needs to be reported.
        await this.#services.computeService.remove(deploying.id).catch(() => {});
        throw error;
      });
    }
    return { deploying, content };
  }

  #beginActivation(
    deployment: DeploymentRecord,
    functions: DeploymentRecord["functions"],
  ): Promise<DeploymentRecord> {
    return this.#move(deployment, "DEPLOYING", { changes: { functions } });
  }

  /** Stops the server of a deployment that was stopped while the server was starting. */
  async #endUnshown({ projectId, id }: DeploymentRecord): Promise<void> {
    const current = await this.#services.deployments.find(projectId, id);
    if (current !== undefined && isServed(current.status)) return;
    await this.#services.computeService.remove(id);
  }

  /** Rethrows an error. If the error is final, the deployment also fails. */
  async #failed(deployment: DeploymentRecord, error: unknown): Promise<never> {
    if (isFinal(error)) await this.#fail(deployment, error);
    throw error;
  }

  async #fail(
    { projectId, id }: DeploymentRecord,
    failure: FinalFailure,
  ): Promise<void> {
    const { deployments, now } = this.#services;
    const failed = await deployments.update(
      [projectId, id],
      (current) =>
        canMove(current.status, "FAILED")
          ? moveDeployment(current, "FAILED", {
            now: now(),
            error: failure.message,
            ...(failure instanceof ServerNotReadyError ? { serverOutput: failure.lines } : {}),
          })
          : current,
    );
    if (failed?.status === "FAILED") await this.#raise("failed", failed);
  }

  async #move(
    deployment: DeploymentRecord,
    to: "DEPLOYING" | "STOPPED",
    { changes = {}, refuses, lease }: {
      readonly changes?: Partial<DeploymentRecord>;
      /** Returns why the state must not change, given the record that the commit changes. */
      readonly refuses?: (current: DeploymentRecord) => string | undefined;
      readonly lease?: Lease | undefined;
    },
  ): Promise<DeploymentRecord> {
    const { deployments, now } = this.#services;
    try {
      const moved = await deployments.update([deployment.projectId, deployment.id], (current) => {
        const refusal = refuses?.(current);
        if (refusal !== undefined) throw new Failure("conflict", refusal);
        const next = current.status === to ? current : moveDeployment(current, to, { now: now() });
        return { ...next, ...changes };
      }, { lease });
      if (moved === undefined) throw new Failure("not_found", "The deployment was deleted");
      return moved;
    } catch (error) {
      if (error instanceof RangeError) throw new Failure("conflict", error.message);
      throw error;
    }
  }

  async #requireTarget(project: ProjectRecord, id: string): Promise<DeploymentRecord> {
    const target = await this.#services.deployments.find(project.id, id);
    if (target === undefined) {
      throw new Failure(
        "not_found",
        `Deployment ${id} does not exist in project "${project.name}"`,
      );
    }
    if (target.environment !== ENVIRONMENT_PRODUCTION) {
      throw new Failure("conflict", `Deployment ${id} is a preview: deploy it with --prod instead`);
    }
    if (!isServed(target.status)) {
      throw new Failure("conflict", `Deployment ${id} is ${target.status} and cannot go live`);
    }
    return target;
  }

  /** Starts the servers of the next production deployment, so no visitor has to wait for them. */
  async #prepare(deployment: DeploymentRecord, content: DeploymentContent): Promise<void> {
    const { vault, computeService } = this.#services;
    await computeService.prepare(deployment, content, vault.of(deployment.workspaceId));
  }

  async #show({ result, versionstamp }: Committed<Activated>): Promise<void> {
    const { sites, addresses, computeService, functionService } = this.#services;
    const { project, hosts, deployment } = result;
    const own = { projectId: project.id, version: versionstamp };
    const bindings = hosts.map(({ label, deploymentId }) => ({
      hostname: addresses.hostname(label),
      to: { ...own, deploymentId, ...productionOf(project, label) },
    }));
    const before = bindings.map(({ hostname }) => sites.deploymentAt(hostname));
    // A new host must work immediately, because clients may request it as soon as they read that
    // the deployment is live.
    const fresh = bindings.filter((_, index) => before[index] === undefined);
    await Promise.all(fresh.map(({ hostname, to }) => sites.pointLazily(hostname, to)));
    // A deployment that becomes live starts with an empty cache.
    await computeService.purge(deployment.id, { type: "all" });
    await Promise.all(bindings.map(({ hostname, to }) => sites.point(hostname, to)));
    const others = before.filter((id): id is string => id !== undefined && id !== deployment.id);
    // A server whose pages are still open is stopped later (see `endUnusedCode()`). Functions are
    // restarted.
    computeService.retire(new Set(others.filter((id) => !sites.isPinned(id))));
    functionService.retire(new Set(others));
  }
}
