/**
 * The interface of a capability. Composition loops over a list of these to start, stop, run
 * housekeeping and delete, so that no capability depends on another's internals.
 *
 * @module
 */
import type { Health } from "../../contract/system.ts";
import type { Usage } from "../../contract/usage.ts";
import type { Router } from "./http/mod.ts";
import type { Lease, RecordKey } from "../../store/mod.ts";

export interface Capability {
  /** The name of its folder. */
  readonly name: string;
  /** Binds the endpoints of its API. */
  bindRoutes?(router: Router): void;

  /**
   * Loads everything needed before the first request. Also called when the store is read-only,
   * because sites are served then too.
   */
  recover?(): Promise<void>;
  /** Resumes what an earlier process left unfinished; the first request waits for it. */
  start?(): Promise<void>;
  /** Called once the platform serves requests: starts what no request has to wait for. */
  whenListening?(): void;
  /** Takes over what another node has changed in the store that both share. */
  storeChanged?(keys: readonly RecordKey[]): Promise<void>;
  /** Reads again what it knows of the store: changes of other nodes were missed. */
  rereadStore?(): Promise<void>;
  /** Finishes running work. The capabilities above it are closed already. */
  close?(): void | Promise<void>;

  /**
   * Runs one round of housekeeping for shared data, on one node. Returns a log line for each thing
   * it did.
   */
  keepHouse?(signal: AbortSignal, lease: Lease): Promise<readonly string[]>;
  /** One round of housekeeping of what each node has for itself, such as caches. */
  tidyNode?(signal: AbortSignal): Promise<readonly string[]>;

  /** Called when a project is gone from the store: takes its sites offline and drops its work. */
  forgetProject?(projectId: string): Promise<void>;
  /** Keys of its records about a project, which are removed with the project. */
  projectKeys?(projectId: string): AsyncIterable<RecordKey>;
  /**
   * Removes what else it keeps for a project, such as files. After a crash it
   * is called again at the next start, so it must accept finding nothing.
   */
  removeProject?(projectId: string): Promise<void>;
  /** Removes what it keeps for a deleted environment. */
  removeEnvironment?(environment: DeletedEnvironment): Promise<void>;
  /** Ends what belongs to a deployment that was stopped. */
  deploymentStopped?(deployment: StoppedDeployment, lease?: Lease): Promise<void>;
  /** Looks again at running servers: a project, or any, may get other databases than before. */
  databasesChanged?(projectId?: string): Promise<void>;
  /** The blobs that it needs; unneeded ones are removed. */
  neededBlobs?(): AsyncIterable<{ readonly workspaceId: string; readonly sha256: string }>;

  /** The usage and limits of a workspace here. */
  workspaceUsage?(workspaceId: string): Promise<readonly Usage[]>;
  /** The usage and limits of a project here. */
  projectUsage?(projectId: string): Promise<readonly Usage[]>;

  /** Its part of `GET /v1/health`. */
  health?(): Partial<Health> | Promise<Partial<Health>>;
}

/** A deployment that was stopped. */
export interface StoppedDeployment {
  readonly id: string;
  readonly projectId: string;
}

/** An environment whose record is gone. */
export interface DeletedEnvironment {
  readonly projectId: string;
  readonly projectName: string;
  readonly name: string;
}
