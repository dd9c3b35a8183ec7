/**
 * The base of every capability: the open data directory, and services shared by the whole process.
 * @module
 */
import type { Clock, Random } from "../../lib/clock.ts";
import type { Environment } from "../../lib/network_variables.ts";
import type { Publisher } from "../../feed/mod.ts";
import type { LocalRoute, OutboundFetch } from "../../runtime/mod.ts";
import type { Addresses } from "./addresses.ts";
import type { EventBus } from "./events/mod.ts";
import type { FollowLog, PlatformLog } from "./log.ts";
import type { SecretBox } from "./secrets/mod.ts";
import type { Nodes } from "./nodes/mod.ts";
import type { Peers } from "./peers/mod.ts";
import type { BlobVault, DataDir } from "./store/mod.ts";
import type { RecordStore } from "../../store/mod.ts";

export interface ShownHosts {
  has: (hostname: string) => boolean;
}

export interface Foundation {
  readonly kv: RecordStore;
  /** Returns whether this node knows of all changes made by the nodes that share its store. */
  isCurrent(): boolean;
  /**
   * Returns a readable reason why this node may lack changes, or `undefined` if {@link isCurrent}.
   */
  whyBehind(): string | undefined;
  /** Whether the store is a file that only this process changes. */
  readonly isOnlyWriter: boolean;
  /** This node, and the tasks that it performs for all nodes. */
  readonly nodes: Nodes;
  /** The other nodes, some of which have their own data. */
  readonly peers: Peers;
  readonly vault: BlobVault;
  readonly dataDir: DataDir;
  readonly box: SecretBox;
  readonly events: EventBus;
  /** Sends changes to every edge. */
  readonly feed: Publisher;
  readonly addresses: Addresses;
  /** The origin at which people reach the platform. */
  readonly publicOrigin: string;
  /** Sends requests to other machines. Rejects addresses that are not allowed. */
  readonly outbound: OutboundFetch;
  /** Like `outbound`, but can also reach the hosts of this platform. For functions. */
  readonly functionOutbound: OutboundFetch;
  /** The hosts that `functionOutbound` serves in this process. Set once the sites are known. */
  readonly shownHosts: ShownHosts;
  /** Whether webhooks, git and servers may reach private, local and reserved addresses. */
  readonly allowPrivate: boolean;
  /** Loopback ports on which servers reach the hosts of this platform. */
  readonly localRoutes: readonly LocalRoute[];
  readonly env: Environment;
  readonly now: Clock;
  readonly random: Random;
  /** Aborted when the platform stops. */
  readonly closing: AbortSignal;
  log(line: PlatformLog): void;
  readonly followLog: FollowLog;
  onTrouble(message: string): void;
}
