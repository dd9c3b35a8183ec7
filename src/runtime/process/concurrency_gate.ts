/**
 * Bounded concurrency with a bounded queue.
 *
 * @module
 */

import { within } from "./timers.ts";

/** Gives the place back; calling it again has no effect. */
export type Release = () => void;

export interface GateOptions {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}

export class ConcurrencyGate {
  #running = 0;
  readonly #waiting: ((release: Release) => void)[] = [];

  constructor(private readonly options: GateOptions) {}

  get running(): number {
    return this.#running;
  }

  /** A place, at once or as soon as one is free; `undefined` where too many already wait. */
  enter(): Release | Promise<Release> | undefined {
    if (this.#running < this.options.maxConcurrent) {
      this.#running++;
      return this.#release();
    }
    if (this.#waiting.length >= this.options.maxQueued) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #release(): Release {
    let used = false;
    return () => {
      if (used) return;
      used = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next(this.#release());
    };
  }
}

/**
 * Waits for a place, at most a time in milliseconds; one that comes later is
 * given back. `undefined` where none came in time.
 */
export async function waitForPlace(
  place: Promise<Release>,
  milliseconds: number,
): Promise<Release | undefined> {
  const release = await within(place, milliseconds);
  if (release === undefined) void place.then((late) => late());
  return release;
}
