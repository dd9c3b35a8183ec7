/**
 * What edge threads are opened with.
 *
 * @module
 */
import type { PlatformLog } from "../../platform/core/log.ts";
import type { FunctionLinks, ServerLinks } from "../../runtime/mod.ts";
import type { ListenOptions } from "../listeners.ts";
import type { ThreadStart } from "./wire.ts";

export interface EdgeThreadsOptions {
  readonly listen: ListenOptions;
  /** How many threads there are. */
  readonly count: number;
  readonly start: Pick<
    ThreadStart,
    | "apiHosts"
    | "geoip"
    | "asn"
    | "counters"
    | "slots"
    | "requestCounts"
    | "staticCacheBytes"
    | "bodies"
    | "cacheBytes"
    | "pseudonym"
  >;
  /** The servers that threads may use. */
  readonly links: ServerLinks;
  /** The functions that threads may call. */
  readonly functions: FunctionLinks;
  readonly log: (line: PlatformLog) => void;
}
