/** @module Determines the increasing pauses between the starts of a process that keeps failing. */
import type { Timers } from "./timers.ts";

/** Maximum pause before a process that keeps failing is started again, in milliseconds. */
export const MAX_BACKOFF_MS = 30_000;
const FIRST_BACKOFF_MS = 100;

/** Time after which a process that has not failed counts as recovered, in milliseconds. */
const HEALTHY_MS = 60_000;

/**
 * Returns the pause before the next start after a number of consecutive failures. The pause is 0
 * after the first failure.
 */
export function backoffMs(failures: number): number {
  return failures <= 1 ? 0 : Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 2));
}

export class RestartBackoff {
  #failures = 0;
  #notBefore = 0;

  readonly #timers: Pick<Timers, "now">;

  constructor(timers: Pick<Timers, "now">) {
    this.#timers = timers;
  }

  /** Time until the process can start again, in milliseconds; 0 or less if it can start now. */
  get waitMs(): number {
    return Math.ceil(this.#notBefore - this.#timers.now());
  }

  /** Records that a start failed, or that a process started at `startedAt` failed. */
  failed(startedAt?: number): void {
    const now = this.#timers.now();
    if (startedAt !== undefined && now - startedAt > HEALTHY_MS) this.#failures = 0;
    this.#failures++;
    this.#notBefore = now + backoffMs(this.#failures);
  }
}
