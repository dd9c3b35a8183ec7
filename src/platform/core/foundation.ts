/**
 * What every capability stands on: the open data directory, and what the
 * process has once.
 *
 * @module
 */
import type { Clock, Random } from "../../lib/clock.ts";
import type { Environment } from "../../lib/network_variables.ts";
import type { OutboundFetch } from "../../runtime/mod.ts";
import type { Addresses } from "./addresses.ts";
import type { EventBus } from "./events/mod.ts";
import type { PlatformLog } from "./log.ts";
import type { SecretBox } from "./secrets/mod.ts";
import type { BlobVault, DataDir } from "./store/mod.ts";

export interface Foundation {
  readonly kv: Deno.Kv;
  readonly vault: BlobVault;
  readonly dataDir: DataDir;
  readonly box: SecretBox;
  readonly events: EventBus;
  readonly addresses: Addresses;
  /** Origin under which people reach the platform. */
  readonly publicOrigin: string;
  /** Reaches other machines, under guard. */
  readonly outbound: OutboundFetch;
  /** Lets webhooks, git and servers reach private, local and reserved addresses. */
  readonly allowPrivate: boolean;
  /** The process's environment. */
  readonly env: Environment;
  readonly now: Clock;
  readonly random: Random;
  /** Aborted when the platform stops. */
  readonly closing: AbortSignal;
  log(line: PlatformLog): void;
  /** Logs what the operator should know, as a warning. */
  onTrouble(message: string): void;
}
