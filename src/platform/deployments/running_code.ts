/**
 * Interfaces for deployments' servers, functions and databases. Other capabilities implement these
 * interfaces.
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

export interface DeployedFunctions {
  /** Makes an uploaded function safe to run. Throws a `Failure` if this is impossible. */
  seal(name: string, source: Uint8Array): Promise<SealedFunction>;
  /**
   * Returns a deployment's functions, with the limits from its manifest; `undefined` if it has no
   * functions.
   */
  open(
    deployment: DeploymentRecord,
    content: { readonly blobs: BlobStore; readonly limits: FunctionSettings | undefined },
  ): Promise<SiteFunctions | undefined>;
  /** Stops the functions of superseded deployments once they are idle. */
  retire(deploymentIds: Iterable<string>): void;
  /** Stops the functions of a site that no host serves anymore. */
  dispose(functions: SiteFunctions): Promise<void>;
}

export interface DeployedServers {
  /** Returns a deployment's servers; `undefined` if it has none. Does not start anything yet. */
  open(
    deployment: DeploymentRecord,
    content: DeploymentContent,
    blobs: BlobStore,
  ): SiteCompute | undefined;
  /** @throws {ServerNotReadyError} if a server does not listen in time. */
  prepare(
    deployment: DeploymentRecord,
    content: DeploymentContent,
    blobs: BlobStore,
  ): Promise<void>;
  /** Stops the servers of superseded deployments once they are idle. */
  retire(deploymentIds: Iterable<string>): void;
  /** Removes everything that the edge has cached for a deployment. */
  purge(deploymentId: string, scope: PurgeScope): Promise<unknown>;
  /** Stops the servers of a deployment that no host serves anymore. */
  dispose(deploymentId: string): Promise<void>;
  /** Stops a deployment's servers, and removes their files. */
  remove(deploymentId: string): Promise<void>;
}

/** Maximum length of a line of server output to show to the caller, in characters. */
const MAX_LINE = 500;

/** Thrown if a deployment's server does not start listening. Production does not change. */
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

export interface DeployedDatabases {
  /** Prepares a preview's database branch for its code. @throws {DatabaseNotReadyError} */
  prepare(deployment: DeploymentRecord): Promise<void>;
  /**
   * Reserves the database for a migration for a limited time. Returns `false` while another
   * deployment has reserved the database.
   */
  beginMigration(deployment: DeploymentRecord): Promise<boolean>;
  /** Releases the database. Returns whether its schema has changed. */
  endMigration(deployment: DeploymentRecord): Promise<boolean>;
  /** Returns how a preview's branch differs from `main`; `undefined` if unknown. */
  schemaDifference(deployment: DeploymentRecord): Promise<SchemaDifference | undefined>;
  /**
   * Returns connection strings for a command that runs outside this platform, keyed by variable
   * name.
   */
  connections(deployment: DeploymentRecord): Promise<Readonly<Record<string, string>>>;
}

/** Thrown if the command that migrates the database fails. The deployment is not served. */
export class MigrationFailedError extends Failure {
  constructor(problem: string) {
    super("conflict", `The database migration failed. ${problem}`);
  }
}

/** Thrown if a deployment's database is unavailable. The message is for the person who deploys. */
export class DatabaseNotReadyError extends Failure {
  constructor(message: string, options: ErrorOptions = {}) {
    super("conflict", message, options);
  }
}
