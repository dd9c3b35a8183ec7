import type { Clock, Random } from "../lib/clock.ts";
import type { OutboundFetch } from "../runtime/mod.ts";
import type { CountedRequest, CountedVitals } from "../traffic/mod.ts";
import type { AccessKeeper } from "./access/gatekeeper.ts";
import type { AccessRecord } from "./access_record.ts";
import type { ObservedRequest } from "./observed_request.ts";
import type { HttpCache } from "./cache/http_cache.ts";
import type { AsnLookup, GeoLookup } from "./geo/lookup.ts";
import type { ImageService } from "./images/types.ts";
import type { Connection } from "./request/client_request.ts";
import type { ForwardedHeader } from "./request/trusted_proxies.ts";
import type { Origin } from "./origin.ts";
import type { Site } from "./site/site.ts";

export interface EdgeOptions {
  /** Finds the site for a hostname in canonical form: lowercase Punycode without a port. */
  resolveHost(host: string): Site | undefined | Promise<Site | undefined>;
  /** Decides which visitors can access protected hosts. If missing, no host is protected. */
  readonly access?: AccessKeeper | undefined;
  /** Logs a response. Must be quick and must not throw. */
  record(entry: AccessRecord): void;
  /** Counts a response. Must be quick and must not throw. */
  readonly count?: ((request: CountedRequest) => void) | undefined;
  /** Receives the IDs of the rules that matched the most recently recorded request. */
  readonly match?: ((ruleIds: readonly string[]) => void) | undefined;
  /** Records measurements from a visitor's browser. Must be quick and must not throw. */
  readonly countVitals?: ((measured: CountedVitals) => void) | undefined;
  /** Receives more details of each request than the log contains, for the site's developers. */
  readonly observe?: ((request: ObservedRequest) => void) | undefined;
  readonly now: Clock;
  /** Random numbers that seed hash tables. Without them, clients could predict the hashes. */
  readonly random: Random;
  /** A monotonic clock for durations, in milliseconds. */
  readonly stopwatch?: () => number;
  /** Creates a short unique ID from visible ASCII characters. */
  requestId(): string;
  /**
   * For a front edge, the platform, which handles everything except for rules and files. If
   * missing, this process is the origin.
   */
  readonly origin?: Origin | undefined;
  /** Stores responses from other sites, functions and servers. */
  readonly cache: HttpCache;
  /** Sends requests to other sites, and rejects addresses that are not allowed. */
  readonly outbound: OutboundFetch;
  /** Memory for small files, in bytes. Defaults to 256 MiB. */
  readonly cacheBytes?: number;
  /** CIDR ranges of proxies whose client information is trusted. By default, there are none. */
  readonly trustProxy?: readonly string[];
  /** The header in which these proxies send the client's address. */
  readonly forwardedHeader?: ForwardedHeader;
  readonly geo?: GeoLookup | undefined;
  readonly asn?: AsnLookup | undefined;
  /** Converts images. If missing, sites have no image endpoint. */
  readonly images?: ImageService | undefined;
  /** Called with the error behind a 500 response. */
  readonly onError?: (error: unknown, requestId: string) => void;
}

export type EdgeHandler = (
  request: Request,
  connection: Connection,
) => Response | Promise<Response>;
