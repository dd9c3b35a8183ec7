/**
 * @module Updates for an edge: hosts and their content, and invalidations. The messages contain
 * only data, so they can be sent to other processes and machines.
 */
import type { Protection } from "../lib/protection.ts";

/** A release that is served to a percentage of a host's visitors. */
export interface RollingBinding {
  readonly releaseId: string;
  /** The deployment served to these visitors. All others see the host's own deployment. */
  readonly deploymentId: string;
  /** Percentage of the visitors, from 1 to 100. */
  readonly share: number;
}

/** A previous production deployment. */
export interface PastDeployment {
  readonly id: string;
  /** When another deployment replaced this one, in milliseconds since the Unix epoch. */
  readonly until: number;
}

/** The deployment that a hostname shows. */
export interface HostBinding {
  readonly projectId: string;
  readonly deploymentId: string;
  /** True on the project's own hostname below the base domain, where published rules apply. */
  readonly production: boolean;
  /** The current rolling release on this host; missing if everyone sees the same deployment. */
  readonly rolling?: RollingBinding | undefined;
  /** Versionstamp of the commit that created the binding. The latest binding applies. */
  readonly version: string;
  /** Previous production deployments, newest first; missing on other hosts. */
  readonly past?: readonly PastDeployment[] | undefined;
}

/** The target of a verified custom hostname. */
export interface DomainRoute {
  readonly projectId: string;
  readonly environment: string;
  /** Host that always serves the environment's latest deployment. */
  readonly host: string;
  /** The hostname to which visitors are redirected. */
  readonly redirectTo: string | null;
}

/** A custom hostname or wildcard, with its route. */
export interface DomainBinding {
  readonly hostname: string;
  readonly route: DomainRoute;
}

/** The access settings of a project's sites. */
export interface AccessState {
  /** Versionstamp of the record. The latest record applies. */
  readonly version: string;
  readonly protection: Protection;
  /** Whether production is down for maintenance. */
  readonly isDown: boolean;
}

/** Selects cached responses of a deployment. */
export type PurgeScope =
  | { readonly type: "all" }
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "prefix"; readonly prefix: string }
  | { readonly type: "tag"; readonly tag: string };

/** Identifies the resource of a request, for purging and invalidation. */
export interface ResourceUri {
  readonly deploymentId: string;
  readonly host: string;
  readonly path: string;
  readonly rawQuery: string;
}

export type FeedMessage =
  /** A host now serves another deployment, or uses other published rules. */
  | { readonly type: "host_pointed"; readonly hostname: string; readonly to: HostBinding }
  | { readonly type: "host_removed"; readonly hostname: string }
  /** No host serves the deployment any longer. */
  | { readonly type: "deployment_removed"; readonly deploymentId: string }
  /**
   * Cached responses are removed or, with `staleSince`, count as stale since that time, in
   * milliseconds since the Unix epoch.
   */
  | {
    readonly type: "cache_purged";
    readonly deploymentId: string;
    readonly scopes: readonly PurgeScope[];
    readonly staleSince: number | undefined;
  }
  /** All cached responses are removed. */
  | { readonly type: "cache_cleared" }
  /** Unsafe requests have invalidated the cached responses for these URIs. */
  | { readonly type: "cache_invalidated"; readonly uris: readonly ResourceUri[] }
  /** Certificates for hostnames were replaced or removed. */
  | { readonly type: "certificates_changed"; readonly hostnames: readonly string[] }
  /** The access settings of a project's sites changed. */
  | { readonly type: "access_changed"; readonly projectId: string; readonly access: AccessState }
  /** All bindings in a zone of custom hostnames. */
  | {
    readonly type: "zone_replaced";
    readonly zone: string;
    readonly bindings: readonly DomainBinding[];
  };

/** A message with its position in the feed, starting at 1. */
export interface Change {
  readonly place: number;
  readonly message: FeedMessage;
}

export interface Snapshot {
  readonly place: number;
  readonly messages: readonly FeedMessage[];
}
