/** Time limits for calls to the store. @module */

/** Time limits, in milliseconds. */
export interface Patience {
  /** Maximum time to open a connection. */
  readonly connectMs: number;
  /** Maximum time for one attempt. After that, the connection counts as lost. */
  readonly attemptMs: number;
  /** Time from the first failed attempt until calls fail. */
  readonly failureMs: number;
}

export const PATIENCE: Patience = { connectMs: 3_000, attemptMs: 5_000, failureMs: 10_000 };
