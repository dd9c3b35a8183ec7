/**
 * The servers and functions of deployments, as interfaces that the capabilities
 * above implement.
 *
 * @module
 */
import type { PurgeScope, SiteCompute, SiteFunctions } from "../../edge/mod.ts";
import type { SchemaDifference } from "../../contract/schema_difference.ts";
import type { FunctionSettings } from "../../manifest/mod.ts";
import type { SealedFunction } from "../../runtime/mod.ts";
import { Failure } from "../core/http/mod.ts";
import type { BlobStore } from "../core/store/mod.ts";
import type { DeploymentContent } from "./content.ts";
import type { DeploymentRecord } from "./deployment.ts";

/** The functions of deployments. */
export interface DeployedFunctions {
  /** Makes an uploaded function safe to run; throws a `Failure` if that is impossible. */
  seal(name: string, source: Uint8Array): Promise<SealedFunction>;
  /** The functions of a deployment, with the limits of its manifest; `undefined` if it has none. */
  open(
    deployment: DeploymentRecord,
    content: { readonly blobs: BlobStore; readonly limits: FunctionSettings | undefined },
  ): Promise<SiteFunctions | undefined>;
  /** Ends what runs for superseded deployments, once it has nothing to do. */
  retire(deploymentIds: Iterable<string>): void;
  /** Ends the functions of a site that no host shows any more. */
  dispose(functions: SiteFunctions): Promise<void>;
}

/** The servers of deployments. */
export interface DeployedServers {
  /** The servers of a deployment; `undefined` if it has none. Starts nothing yet. */
  open(
    deployment: DeploymentRecord,
    content: DeploymentContent,
    blobs: BlobStore,
  ): SiteCompute | undefined;
  /**
   * Starts the servers of a deployment before production shows it.
   *
   * @throws {ServerNotReadyError} if one does not listen in time.
   */
  prepare(
    deployment: DeploymentRecord,
    content: DeploymentContent,
    blobs: BlobStore,
  ): Promise<void>;
  /** Ends what runs for superseded deployments, once it has nothing to do. */
  retire(deploymentIds: Iterable<string>): void;
  /** Removes all that the edge caches of a deployment. */
  purge(deploymentId: string, scope: PurgeScope): Promise<unknown>;
  /** Ends the servers of a deployment that no host shows any more. */
  dispose(deploymentId: string): Promise<void>;
  /** Ends the servers of a deployment, and removes what they left behind. */
  remove(deploymentId: string): Promise<void>;
}

/** Longest line of a server's output that the caller is shown, in characters. */
const MAX_LINE = 500;

/** The server of a deployment does not listen; what is live stays live. */
export class ServerNotReadyError extends Failure {
  /** The last lines that the server wrote. */
  readonly lines: readonly string[];

  constructor(reason: string, lines: readonly string[]) {
    const shown = lines.map((line) => line.slice(0, MAX_LINE));
    super("conflict", `The server did not start: ${reason}. Production did not change`, {
      problems: shown.map((message) => ({ path: "server", message })),
      hint: "See the server log: svc logs, or GET /v1/projects/{project}/logs",
    });
    this.lines = shown;
  }
}

/** The databases of deployments. */
export interface DeployedDatabases {
  /**
   * Prepares the database branch of a preview before its code can connect to it.
   *
   * @throws {DatabaseNotReadyError}
   */
  prepare(deployment: DeploymentRecord): Promise<void>;
  /** Takes the database for a migration for a time; false while another deployment has it. */
  beginMigration(deployment: DeploymentRecord): Promise<boolean>;
  /** Gives it back; returns whether its schema is another one now. */
  endMigration(deployment: DeploymentRecord): Promise<boolean>;
  /** How the branch of a preview differs from `main`; `undefined` if that is not known. */
  schemaDifference(deployment: DeploymentRecord): Promise<SchemaDifference | undefined>;
  /** Connection strings for a command outside of this platform, by their variables. */
  connections(deployment: DeploymentRecord): Promise<Readonly<Record<string, string>>>;
}

/** The command that migrates the database did not pass; the deployment is not shown. */
export class MigrationFailedError extends Failure {
  constructor(problem: string) {
    super("conflict", `The migration of the database failed. ${problem}`);
  }
}

/** The database of a deployment cannot be had; the message is for the person who deploys. */
export class DatabaseNotReadyError extends Failure {
  constructor(message: string, options: ErrorOptions = {}) {
    super("conflict", message, options);
  }
}
