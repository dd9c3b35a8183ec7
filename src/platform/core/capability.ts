/**
 * What a capability takes part in. Composition holds a list of these and loops
 * over it to start, stop, keep house and delete, so that no capability knows
 * another one's insides.
 *
 * @module
 */
import type { Health } from "../../contract/mod.ts";
import type { Router } from "./http/mod.ts";

export interface Capability {
  /** The name of its folder. */
  readonly name: string;
  /** Binds the endpoints of its API. */
  bindRoutes?(router: Router): void;

  /**
   * Learns what it must know before the first request is answered. Called over
   * a store that cannot be written as well: sites are served from it.
   */
  recover?(): Promise<void>;
  /** Takes up what an earlier process has left to do; the first request waits for it. */
  start?(): Promise<void>;
  /** The platform answers requests: starts what nobody has to wait for. */
  whenListening?(): void;
  /** Finishes what is under way. What stands above it is closed already. */
  close?(): void | Promise<void>;

  /** One round of housekeeping. Returns what it did, for the log; nothing where it did nothing. */
  keepHouse?(signal: AbortSignal): Promise<readonly string[]>;

  /** A project is gone from the store: takes its sites off the air and drops its work. */
  forgetProject?(projectId: string): Promise<void>;
  /** Keys of its records of a project, which are removed with it. */
  projectKeys?(projectId: string): AsyncIterable<Deno.KvKey>;
  /**
   * Removes what else it has of a project, such as files. After a crash it is
   * called again at the next start, so it must bear to find nothing.
   */
  removeProject?(projectId: string): Promise<void>;
  /** Removes what it has of an environment that was deleted. */
  removeEnvironment?(environment: DeletedEnvironment): Promise<void>;

  /** Its part of `GET /v1/health`. */
  health?(): Partial<Health>;
}

/** An environment whose record is gone. */
export interface DeletedEnvironment {
  readonly projectId: string;
  readonly projectName: string;
  readonly name: string;
}
