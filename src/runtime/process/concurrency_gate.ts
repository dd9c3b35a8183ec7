/** @module Limits concurrency, with a bounded queue. */

import { within } from "./timers.ts";

/** Releases the slot. Calling this again has no effect. */
export type Release = () => void;

interface GateOptions {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}

export class ConcurrencyGate {
  #running = 0;
  readonly #waiting: ((release: Release) => void)[] = [];

  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Returns a slot as soon as one is free, or `undefined` if too many callers are already waiting.
   */
  enter(): Release | Promise<Release> | undefined {
    if (this.#running < this.#options.maxConcurrent) return this.#give();
    if (this.#waiting.length >= this.#options.maxQueued) return undefined;
    return new Promise<Release>((resolve) => this.#waiting.push(resolve));
  }

  #give(): Release {
    this.#running++;
    let used = false;
    return () => {
      if (used) return;
      used = true;
      this.#running--;
      this.#waiting.shift()?.(this.#give());
    };
  }
}

/**
 * Waits for a slot for a limited time, in milliseconds. Returns `undefined` if none became free in
 * time. A slot that becomes free later is released.
 */
export async function waitForPlace(
  place: Promise<Release>,
  milliseconds: number,
): Promise<Release | undefined> {
  const release = await within(place, milliseconds);
  if (release === undefined) place.then((late) => late(), () => {});
  return release;
}
