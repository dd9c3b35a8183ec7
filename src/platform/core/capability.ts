/**
 * The interface for a capability. The platform goes through a list of capabilities to start, stop,
 * run housekeeping and delete, so no capability depends on the internals of another.
 *
 * @module
 */
import type { Health } from "../../contract/system.ts";
import type { Usage } from "../../contract/usage.ts";
import type { Router } from "./http/mod.ts";
import type { Lease, RecordKey } from "../../store/mod.ts";

export interface Capability {
  /** The name of the capability's folder. */
  readonly name: string;
  bindRoutes?(router: Router): void;

  /**
   * Loads everything that is needed before the first request. Also called when the store is
   * read-only, because sites are served even then.
   */
  recover?(): Promise<void>;
  /**
   * Resumes work that an earlier process left unfinished. The first request waits until this is
   * done.
   */
  start?(): Promise<void>;
  /** Called once the platform serves requests. Starts work that no request needs to wait for. */
  whenListening?(): void;
  /** Applies changes that another node made in the shared store. */
  storeChanged?(keys: readonly RecordKey[]): Promise<void>;
  /**
   * Reloads the capability's cached data from the store after this node has missed changes made by
   * other nodes.
   */
  rereadStore?(): Promise<void>;
  /** Finishes running work. The capabilities that depend on this one are already closed. */
  close?(): void | Promise<void>;

  /**
   * Runs a round of housekeeping for shared data, on one of the nodes. Returns lines for the log.
   */
  cleanUp?(signal: AbortSignal, lease: Lease): Promise<readonly string[]>;
  /** Runs a round of housekeeping for the node's own data, such as caches. */
  tidyNode?(signal: AbortSignal): Promise<readonly string[]>;

  /**
   * Called after a project is deleted from the store. Takes the project's sites offline, and drops
   * its work.
   */
  forgetProject?(projectId: string): Promise<void>;
  /**
   * Returns the keys of the capability's records about a project, which are removed with the
   * project.
   */
  projectKeys?(projectId: string): AsyncIterable<RecordKey>;
  /** Removes other data of a project, such as files. Called again after a crash. */
  removeProject?(projectId: string): Promise<void>;
  /** Removes the capability's data for a deleted environment. */
  removeEnvironment?(environment: DeletedEnvironment): Promise<void>;
  /** Stops everything that belongs to a stopped deployment. */
  deploymentStopped?(deployment: StoppedDeployment, lease?: Lease): Promise<void>;
  /**
   * Checks running servers again, because the databases of one project (or of all projects) may
   * have changed.
   */
  databasesChanged?(projectId?: string): Promise<void>;
  /** Returns the blobs that the capability needs. Blobs that no capability needs are removed. */
  neededBlobs?(): AsyncIterable<{ readonly workspaceId: string; readonly sha256: string }>;

  /** Returns a workspace's usage of this capability, and the workspace's limits. */
  workspaceUsage?(workspaceId: string): Promise<readonly Usage[]>;
  /** Returns a project's usage of this capability, and the project's limits. */
  projectUsage?(projectId: string): Promise<readonly Usage[]>;

  /** Returns the capability's part of `GET /v1/health`. */
  health?(): Partial<Health> | Promise<Partial<Health>>;
}

interface StoppedDeployment {
  readonly id: string;
  readonly projectId: string;
}

export interface DeletedEnvironment {
  readonly projectId: string;
  readonly projectName: string;
  readonly name: string;
}
