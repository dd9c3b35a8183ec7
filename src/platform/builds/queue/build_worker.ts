/** Runs one build: creates the content, checks it like an upload, and makes it live. @module */
import * as z from "zod";
import { createDeploymentBody } from "../../../contract/deployments.ts";
import { ENVIRONMENT_PRODUCTION } from "../../../contract/environment_names.ts";
import type { Clock } from "../../../lib/clock.ts";
import { plainText } from "../logs/build_log_text.ts";
import type { Addresses } from "../../core/addresses.ts";
import {
  canMove,
  deploymentEvent,
  type DeploymentRecord,
  type DeploymentService,
  type DeploymentStore,
  moveDeployment,
  storeContent,
} from "../../deployments/mod.ts";
import type { RaiseEvent } from "../../core/events/mod.ts";
import { Failure, toFailure } from "../../core/http/mod.ts";
import type { BlobVault } from "../../core/store/mod.ts";
import type { BuildRecord } from "./build_record.ts";
import type { BuildJob, BuildRunner, BuiltContent, RunInCheckout, UseBuilt } from "../types.ts";

export type BuildEnd =
  | { readonly state: "SUCCEEDED" | "CANCELLED"; readonly error: null }
  /** There was nothing to build. */
  | { readonly state: "CANCELLED"; readonly error: string }
  | { readonly state: "FAILED"; readonly error: string }
  /** The platform is stopping. The build runs again after the next start. */
  | { readonly state: "INTERRUPTED" };

/** A deployment with its content, or the outcome of its build. */
type BuildResult =
  | { readonly type: "made"; readonly deployment: DeploymentRecord }
  | { readonly type: "ended"; readonly end: BuildEnd };

type BuildMoment = "stopped" | "building" | "build_success" | "build_failed" | "failed";

const CANCELLED: BuildEnd = { state: "CANCELLED", error: null };

const checksSchema = z.object({ checks: z.object({ commands: z.array(z.string()).optional() }) });

const migrationSchema = z.object({ database: z.object({ migrate: z.string() }) });

const contentSchema = createDeploymentBody.pick({
  manifest: true,
  rules: true,
  files: true,
  functions: true,
});

/** Returns whether project commands run before the deployment goes live. */
function hasCommands({ manifest }: BuiltContent, { environment }: DeploymentRecord): boolean {
  if (migrationSchema.safeParse(manifest).success) return true;
  const { commands = [] } = checksSchema.safeParse(manifest).data?.checks ?? {};
  return environment === ENVIRONMENT_PRODUCTION && commands.length > 0;
}

interface BuildWorkerServices {
  readonly deployments: DeploymentStore;
  readonly deploymentService: DeploymentService;
  readonly vault: BlobVault;
  readonly runner: BuildRunner;
  readonly addresses: Addresses;
  readonly raiseEvent: RaiseEvent;
  readonly now: Clock;
  onTrouble(message: string): void;
}

export class BuildWorker {
  readonly #services: BuildWorkerServices;

  constructor(services: BuildWorkerServices) {
    this.#services = services;
  }

  /**
   * Runs a build. Rejects only if the outcome cannot be stored. The signal aborts when the
   * deployment or the platform is stopped.
   */
  async perform(build: BuildRecord, signal: AbortSignal): Promise<BuildEnd> {
    try {
      const deployment = await this.#begin(build);
      if (deployment === undefined) return CANCELLED;
      const built = deployment.contentSha === null
        ? await this.#make(build, deployment, signal)
        : { type: "made" as const, deployment };
      if (built.type === "ended") return built.end;
      return await this.#goLive(build, built.deployment);
    } catch (error) {
      return await this.#fail(build, "failed", error);
    }
  }

  /** Marks a build that cannot be resumed as failed. */
  async giveUp(build: BuildRecord, reason: string): Promise<BuildEnd> {
    return await this.#fail(build, "build_failed", new Failure("conflict", reason));
  }

  /**
   * Sets the deployment's state to BUILDING and returns the deployment, or returns `undefined` if
   * it has been stopped or removed.
   */
  async #begin(build: BuildRecord): Promise<DeploymentRecord | undefined> {
    const { deployments, now } = this.#services;
    let begins = false;
    const deployment = await deployments.update([build.projectId, build.id], (current) => {
      begins = current.status === "PENDING";
      return begins ? moveDeployment(current, "BUILDING", { now: now() }) : current;
    }, { moment: "building" });
    if (deployment === undefined || !canMove(deployment.status, "FAILED")) return undefined;
    if (begins) await this.#raise("building", deployment);
    return deployment;
  }

  async #make(
    build: BuildRecord,
    deployment: DeploymentRecord,
    signal: AbortSignal,
  ): Promise<BuildResult> {
    const { id, ...job } = build;
    const since = build.forced === true ? null : await this.#shownBefore(deployment);
    const ended = (end: BuildEnd) => ({ type: "ended" as const, end });
    const made: { result?: BuildResult } = {};
    // Migrations and check commands run in the checkout, which is removed afterwards.
    const use: UseBuilt = async (content, commands) => {
      if (!hasCommands(content, deployment)) return;
      const result = await this.#attachMade(build, deployment, content);
      made.result = result.type === "ended"
        ? result
        : ended(await this.#goLive(build, result.deployment, commands));
    };
    const { runner } = this.#services;
    const outcome = await runner.run({ ...job, since, deploymentId: id }, signal, use);
    if (made.result !== undefined) return made.result;
    if (outcome.type === "cancelled") {
      const current = await this.#services.deployments.find(build.projectId, id);
      const stopped = current === undefined || !canMove(current.status, "FAILED");
      if (stopped) return ended(CANCELLED);
      if (signal.aborted) return ended({ state: "INTERRUPTED" });
    }
    if (outcome.type === "skipped") return ended(await this.#skip(build, outcome.reason));
    if (outcome.type !== "built") {
      const reason = outcome.type === "failed" ? outcome.reason : "The build was cancelled";
      return ended(
        await this.#fail(build, "build_failed", new Failure("conflict", reason)),
      );
    }
    return await this.#attachMade(build, deployment, outcome.content);
  }

  async #attachMade(
    build: BuildRecord,
    deployment: DeploymentRecord,
    content: BuiltContent,
  ): Promise<BuildResult> {
    try {
      const made = await this.#attach(deployment, content);
      await this.#raise("build_success", made);
      return { type: "made", deployment: made };
    } catch (error) {
      return { type: "ended", end: await this.#fail(build, "build_failed", error) };
    }
  }

  /** Returns the current deployment of the branch if it was built with the same variables. */
  async #shownBefore(deployment: DeploymentRecord): Promise<BuildJob["since"]> {
    const { deployments } = this.#services;
    const { projectId, projectName, branchLabel, environment, variablesVersion } = deployment;
    const isProduction = environment === ENVIRONMENT_PRODUCTION;
    const host = await deployments.findHost(isProduction ? projectName : branchLabel);
    if (host === undefined || host.deploymentId === null) return null;
    const shown = await deployments.find(projectId, host.deploymentId);
    if (shown?.status !== "LIVE" || shown.source !== "git" || shown.commitSha === null) return null;
    if (shown.environment !== environment || shown.variablesVersion !== variablesVersion) {
      return null;
    }
    return { commitSha: shown.commitSha, createdAt: shown.createdAt };
  }

  /** Stops the deployment. Its URL continues to show the previous deployment. */
  async #skip(build: BuildRecord, reason: string): Promise<BuildEnd> {
    const { deployments, now } = this.#services;
    const error = plainText(reason);
    let stops = false;
    const stopped = await deployments.update([build.projectId, build.id], (current) => {
      stops = canMove(current.status, "STOPPED");
      return stops ? moveDeployment(current, "STOPPED", { now: now(), error }) : current;
    }, { moment: "stopped" });
    if (stopped === undefined || !stops) return CANCELLED;
    await this.#raise("stopped", stopped);
    return { state: "CANCELLED", error };
  }

  /** Checks the output, and stores it with the deployment. */
  async #attach(
    deployment: DeploymentRecord,
    content: BuiltContent,
  ): Promise<DeploymentRecord> {
    const { deployments, vault, now } = this.#services;
    const parsed = contentSchema.safeParse(content);
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0]!;
      throw new Failure(
        "invalid_request",
        `Cannot deploy the build output: ${path.join(".")}: ${message}`,
      );
    }
    const stored = await storeContent(vault.of(deployment.workspaceId), parsed.data);
    const made = await deployments.update(
      [deployment.projectId, deployment.id],
      (current) => ({ ...moveDeployment(current, "DEPLOYING", { now: now() }), ...stored }),
      { moment: "build_success" },
    );
    if (made === undefined) throw new Failure("not_found", "The deployment was deleted");
    return made;
  }

  /**
   * Makes a deployment live. If `run` is missing, a deployment with check commands or migrations
   * fails.
   */
  async #goLive(
    build: BuildRecord,
    deployment: DeploymentRecord,
    run?: RunInCheckout,
  ): Promise<BuildEnd> {
    try {
      await this.#services.deploymentService.activate(deployment, {
        commands: run ?? (() => Promise.resolve([])),
        migrate: run && (async (command) => (await run([command]))[0]),
      });
      return { state: "SUCCEEDED", error: null };
    } catch (error) {
      return await this.#fail(build, "failed", error);
    }
  }

  /** Marks the deployment as failed, unless it has been stopped or deleted in the meantime. */
  async #fail(build: BuildRecord, moment: BuildMoment, cause: unknown): Promise<BuildEnd> {
    const { deployments, now, onTrouble } = this.#services;
    const failure = toFailure(cause);
    const isRace = cause instanceof RangeError;
    if (failure.status >= 500 && !isRace) {
      const text = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
      onTrouble(`Build ${build.id} failed: ${text}`);
    }
    // Removes control characters, because the message may quote the build's output.
    const error = plainText(failure.message);
    let fails = false;
    const failed = await deployments.update([build.projectId, build.id], (current) => {
      fails = canMove(current.status, "FAILED");
      return fails ? moveDeployment(current, "FAILED", { now: now(), error }) : current;
    }, { moment });
    if (failed === undefined || !fails) return CANCELLED;
    await this.#raise(moment, failed);
    return { state: "FAILED", error };
  }

  #raise(moment: BuildMoment, deployment: DeploymentRecord): Promise<void> {
    return this.#services.raiseEvent(deploymentEvent(moment, deployment, this.#services.addresses));
  }
}
