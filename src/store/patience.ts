/**
 * How long the store is waited for.
 *
 * @module
 */

/** How long things may take, in milliseconds. */
export interface Patience {
  /** To open a connection. */
  readonly connectMs: number;
  /** Of one attempt; after it the connection counts as lost. */
  readonly attemptMs: number;
  /** Since attempts have started to fail, until calls fail. */
  readonly failureMs: number;
}

export const PATIENCE: Patience = { connectMs: 3_000, attemptMs: 5_000, failureMs: 10_000 };
