/**
 * Runs a project's migration command before the deployment is served. Only one command per database
 * runs at a time.
 *
 * @module
 */
import type { CommandResult } from "../../contract/release_checks.ts";
import type { Clock } from "../../lib/clock.ts";
import { MIGRATION_MS } from "../../lib/database_previews.ts";
import { sleep } from "../../lib/sleep.ts";
import { Failure } from "../core/http/mod.ts";
import { canMove, type DeploymentRecord } from "./deployment.ts";
import type { DeploymentStore } from "./deployment_store.ts";
import { type DeployedDatabases, MigrationFailedError } from "./running_code.ts";

/** Runs the command. Returns `undefined` if it could not run. */
export type RunMigration = (command: string) => Promise<CommandResult | undefined>;

interface MigrationServices {
  readonly databases: DeployedDatabases;
  readonly deployments: Pick<DeploymentStore, "update">;
  readonly now: Clock;
}

/**
 * How long clients should wait before they retry while another deployment is migrating the
 * database, in seconds.
 */
const RETRY_SECONDS = 2;

const NOT_RUN =
  "The command did not run, because it needs the project's folder. Deploy the folder, or push a commit";

/**
 * Returns whether the database is already migrated. A copy of a deployment uses the database that
 * the original deployment has migrated.
 */
const isMigrated = ({ migration, redeployOf, promotedFrom }: DeploymentRecord): boolean =>
  migration !== undefined || redeployOf !== null || promotedFrom !== null;

const commandOf = ({ database }: DeploymentRecord): string | undefined => database?.migrate;

/** Returns whether a deployment has a migration that has not succeeded yet. */
export const awaitsMigration = (deployment: DeploymentRecord): boolean =>
  commandOf(deployment) !== undefined && !isMigrated(deployment);

export class Migrations {
  readonly #services: MigrationServices;

  constructor(services: MigrationServices) {
    this.#services = services;
  }

  /** @throws {Failure} */
  async perform(deployment: DeploymentRecord, result: CommandResult | undefined) {
    if (!canMove(deployment.status, "FAILED")) {
      throw new Failure("conflict", `Deployment ${deployment.id} is ${deployment.status}`);
    }
    if (result === undefined) return await this.#begin(deployment);
    return { command: await this.#end(deployment, result), variables: {} };
  }

  /**
   * @throws {Failure} `conflict` if the deployment has no migration, or `unavailable` while another
   * deployment is migrating the database
   */
  async #begin(
    deployment: DeploymentRecord,
  ): Promise<{ readonly command: string; readonly variables: Readonly<Record<string, string>> }> {
    const command = this.#require(deployment);
    const { databases } = this.#services;
    await databases.prepare(deployment);
    if (!await databases.beginMigration(deployment)) {
      throw new Failure("unavailable", "Another deployment is migrating the database", {
        retryAfter: RETRY_SECONDS,
      });
    }
    return { command, variables: await databases.connections(deployment) };
  }

  /** @throws {MigrationFailedError} */
  async #end(deployment: DeploymentRecord, result: CommandResult): Promise<string> {
    const command = this.#require(deployment);
    const { databases, deployments } = this.#services;
    const migration = await databases.endMigration(deployment) ? "changed" : "unchanged";
    if (!result.passed) throw new MigrationFailedError(result.problem ?? "");
    const { projectId, id } = deployment;
    await deployments.update([projectId, id], (current) => ({ ...current, migration }));
    return command;
  }

  /**
   * Prepares the database, migrates it if needed, and records how the schema changes. @throws
   * {DatabaseNotReadyError | MigrationFailedError}
   */
  async settle(deployment: DeploymentRecord, run: RunMigration | undefined): Promise<void> {
    const { databases, deployments } = this.#services;
    await databases.prepare(deployment);
    await this.#migrate(deployment, run);
    const schemaDifference = await databases.schemaDifference(deployment);
    if (schemaDifference === undefined) return;
    const { projectId, id } = deployment;
    await deployments.update([projectId, id], (current) => ({ ...current, schemaDifference }));
  }

  async #migrate(deployment: DeploymentRecord, run: RunMigration | undefined): Promise<void> {
    const command = commandOf(deployment);
    if (command === undefined || isMigrated(deployment)) return;
    if (run === undefined) throw new MigrationFailedError(NOT_RUN);
    const { databases, now } = this.#services;
    const endsAt = now() + MIGRATION_MS;
    while (!await databases.beginMigration(deployment)) {
      if (now() > endsAt) {
        throw new MigrationFailedError("Another deployment is still migrating the database");
      }
      await sleep(RETRY_SECONDS * 1000);
    }
    const result = await run(command).catch(async (error) => {
      await databases.endMigration(deployment);
      throw error;
    });
    if (result !== undefined) return void await this.#end(deployment, result);
    await databases.endMigration(deployment);
    throw new MigrationFailedError(NOT_RUN);
  }

  #require(deployment: DeploymentRecord): string {
    const command = commandOf(deployment);
    if (command !== undefined && !isMigrated(deployment)) return command;
    throw new Failure("conflict", `Deployment ${deployment.id} has no migration to run`);
  }
}
