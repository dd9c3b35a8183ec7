/** The platform that is composed of the capabilities, and the types for composing it. @module */
import type { SiteDirectory } from "../edge/mod.ts";
import type { HttpCache, ImageService } from "../edge/mod.ts";
import type { AccountServices } from "../platform/accounts/mod.ts";
import type { Audit } from "../platform/audit/mod.ts";
import type { BuildSettings } from "../platform/builds/mod.ts";
import type { ServerSandbox } from "../platform/compute/mod.ts";
import type { Capability } from "../platform/core/capability.ts";
import type { DeploymentStore } from "../platform/deployments/mod.ts";
import type { Domains, DomainSetup } from "../platform/domains/mod.ts";
import type { AccessLogs } from "../platform/logs/mod.ts";
import type { PreviewSignIn } from "../platform/previews/mod.ts";
import type { Edges } from "../platform/edges/mod.ts";
import type { Mailer, Notifications } from "../platform/notifications/mod.ts";
import type { Traffic } from "../platform/traffic/create_traffic.ts";
import type { WorkspaceService } from "../platform/workspaces/mod.ts";
import type { EdgeDoor } from "./edge_door.ts";
import type { CompleteOptions } from "./options.ts";

/** The operator's settings, parsed and validated. */
export interface Setup {
  readonly options: CompleteOptions;
  /** The edge's response cache. */
  readonly cache: HttpCache;
  readonly domains: DomainSetup;
  readonly builds: BuildSettings;
  /** Whether deployment servers can run here, and in which sandbox. */
  readonly serverSandbox: ServerSandbox;
  /** Sends email; `undefined` if the platform has no mail server. */
  readonly mailer: Mailer | undefined;
  /** Returns the country of an IP address. */
  country(address: string): string | undefined;
  /** Whether the edge can find the network of an IP address. */
  readonly knowsNetworks: boolean;
}

/** The platform's capabilities, and the parts of them that serve requests. */
export interface Platform {
  /**
   * The capabilities, each after those that it builds on. They are started in this order and closed
   * in reverse order.
   */
  readonly capabilities: readonly Capability[];
  readonly accounts: AccountServices;
  readonly workspaces: WorkspaceService;
  readonly notifications: Notifications;
  readonly deployments: DeploymentStore;
  /** Gives members access to protected hosts. */
  readonly previewSignIn: PreviewSignIn;
  readonly sites: SiteDirectory;
  /** Connects the platform to the edge that runs in the same process. */
  readonly door: EdgeDoor;
  readonly domains: Domains;
  readonly logs: AccessLogs;
  /** Writes API calls to the audit log. */
  readonly recordCall: Audit["recordCall"];
  readonly traffic: Omit<Traffic, "capability">;
  /** Converts images; missing if the operator has turned off image conversion. */
  readonly images: ImageService | undefined;
  /** Serves front edges and accepts the requests that they relay. */
  readonly edges: Omit<Edges, "capability">;
  /** Serves requests to the S3 endpoint. */
  readonly answerBlobs: (request: Request) => Promise<Response>;
}
