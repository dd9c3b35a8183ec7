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

/** What others do who share the places, and what they see of this gate. */
export interface GateShare {
  /** Places that others have. */
  readonly others: number;
  /** Shows how many places this gate has given. */
  show(running: number): void;
  /** Shows whether somebody waits here. */
  wait(isWaiting: boolean): void;
}

export class ConcurrencyGate {
  #running = 0;
  readonly #waiting: ((release: Release) => void)[] = [];

  constructor(private readonly options: GateOptions, private readonly share?: GateShare) {}

  get running(): number {
    return this.#running;
  }

  /** A place, at once or as soon as one is free; `undefined` where too many already wait. */
  enter(): Release | Promise<Release> | undefined {
    if (this.#take()) return this.#release();
    if (this.#waiting.length >= this.options.maxQueued) return undefined;
    const place = new Promise<Release>((resolve) => this.#waiting.push(resolve));
    this.share?.wait(true);
    // Others may have left before they could see that somebody waits.
    this.pump();
    return place;
  }

  /** Gives places that have come free to those who wait. */
  pump(): void {
    while (this.#waiting.length > 0 && this.#take()) this.#waiting.shift()!(this.#release());
    if (this.#waiting.length === 0) this.share?.wait(false);
  }

  /** Shows the place before it looks at the others', so that two never take the last one. */
  #take(): boolean {
    this.#set(this.#running + 1);
    if (this.#running + (this.share?.others ?? 0) <= this.options.maxConcurrent) return true;
    this.#set(this.#running - 1);
    return false;
  }

  #set(running: number): void {
    this.#running = running;
    this.share?.show(running);
  }

  #release(): Release {
    let used = false;
    return () => {
      if (used) return;
      used = true;
      this.#set(this.#running - 1);
      this.pump();
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
