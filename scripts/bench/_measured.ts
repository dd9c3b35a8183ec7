/**
 * The measurements of a load run.
 *
 * @module
 */

export interface Measured {
  readonly requestsPerSecond: number;
  /** All requests of the run. */
  readonly requests: number;
  /** Latency that 99 of 100 requests do not exceed, in milliseconds. */
  readonly p99: number;
}
