/**
 * What a run of load measures.
 *
 * @module
 */

export interface Measured {
  readonly requestsPerSecond: number;
  /** Latency of 99 of 100 requests, in milliseconds. */
  readonly p99: number;
}
