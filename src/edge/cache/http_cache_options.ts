/** @module Options of an HTTP cache, with their defaults. */
import type { Clock } from "../../lib/clock.ts";
import type { Timer } from "./in_flight_requests.ts";

/** Default size of the cache (256 MiB). */
export const DEFAULT_CAPACITY_BYTES = 256 * 1024 * 1024;

/** Maximum size of a body that is stored by default (4 MiB). */
export const DEFAULT_MAX_ENTRY_BYTES = 4 * 1024 * 1024;

/** How long a request waits for another request's response by default, in milliseconds. */
export const DEFAULT_COLLAPSE_MILLISECONDS = 5_000;

export interface HttpCacheOptions {
  readonly now: Clock;
  /** Maximum memory of the cache, in bytes. */
  readonly capacityBytes?: number;
  /**
   * Maximum total size of bodies that are stored as strings, in bytes. By default, a fraction of
   * V8's heap.
   */
  readonly textBytes?: number;
  /**
   * Maximum size of a stored body, in bytes. Larger bodies are sent to their clients but not
   * stored.
   */
  readonly maxEntryBytes?: number;
  /**
   * How long a request waits for another request's response, in milliseconds. After that, the
   * waiting request is sent to the origin.
   */
  readonly collapseMilliseconds?: number;
  readonly timer?: Timer;
  /**
   * Whether to obey request directives about freshness. If so, any client can have its requests
   * forwarded to the origin.
   */
  readonly clientsMayRevalidate?: boolean;
  /** Called with the reason why a refresh in the background failed. */
  readonly onError?: (error: unknown) => void;
}
