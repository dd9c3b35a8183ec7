/** @module A call, as the worker tracks it. */
import { AsyncLocalStorage } from "node:async_hooks";

export interface Call {
  readonly id: number;
  readonly abort: AbortController;
  /** Number of promises passed to `waitUntil()` that have not settled yet. */
  pending: number;
  /** True once the result has been sent. */
  answered: boolean;
  settled: boolean;
}

/** The call to which the running code belongs, even after an `await`. */
export const currentCall = new AsyncLocalStorage<Call>();
