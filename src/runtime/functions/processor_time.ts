/**
 * @module Measures the CPU time of a worker's calls. The system counts it per thread. The CPU time
 * between two readings is divided among the calls that ran during the whole interval.
 */

/** CPU time of a call, in milliseconds, above which a warning is logged. */
export const WARN_MS = 50;

/** The part of a call that is needed to charge the call for CPU time. */
interface Charged {
  readonly beganAt: number;
  spentMs: number;
  /** True if the call was in progress at the last reading. */
  seen: boolean;
}

interface ProcessorTimeOptions {
  /**
   * Returns the CPU time of the thread, in milliseconds, or `undefined` if the system does not
   * report it.
   */
  readonly read: () => number | undefined;
  /** A clock that never jumps, in milliseconds. */
  readonly now: () => number;
}

export class ProcessorTime {
  readonly #calls = new Map<number, Charged>();
  /** CPU time at the last reading, in milliseconds. */
  #lastMs: number | undefined;
  /** True if no call has run since the last reading, so the reading is still valid. */
  #isCurrent = false;
  /** CPU time used since the worker's last frame, in milliseconds. */
  #silentMs = 0;

  readonly #options: ProcessorTimeOptions;

  constructor(options: ProcessorTimeOptions) {
    this.#options = options;
  }

  /**
   * CPU time that the thread has used since the worker's last frame, in milliseconds, as of
   * the last reading.
   */
  get silentMs(): number {
    return this.#silentMs;
  }

  /**
   * Records that the worker has sent a frame, which shows that its thread is not stuck in a loop.
   */
  heard(): void {
    this.#silentMs = 0;
  }

  /** Begins a call. */
  began(id: number): void {
    this.#calls.set(id, {
      beganAt: this.#options.now(),
      spentMs: 0,
      seen: this.#isCurrent && this.#calls.size === 0,
    });
    this.#isCurrent = false;
  }

  /** Ends a call and returns its CPU time in milliseconds. Short calls are not measured. */
  ended(id: number): number {
    const call = this.#calls.get(id);
    if (call === undefined) return 0;
    if (this.#options.now() - call.beganAt > WARN_MS) this.look();
    this.#calls.delete(id);
    return call.spentMs;
  }

  /** Removes a call that has moved to another worker. */
  left(id: number): void {
    this.#calls.delete(id);
  }

  /** Returns the CPU time of a call as of the last reading, in milliseconds. */
  spentMs(id: number): number {
    return this.#calls.get(id)?.spentMs ?? 0;
  }

  /**
   * Reads the thread's CPU time and charges the calls. Without calls, reads the time at most once.
   */
  look(): void {
    if (this.#calls.size === 0 && this.#isCurrent) return;
    const readMs = this.#options.read();
    if (readMs === undefined) return;
    const passedMs = Math.max(0, readMs - (this.#lastMs ?? readMs));
    const charged = [...this.#calls.values()].filter(({ seen }) => seen);
    for (const call of charged) call.spentMs += passedMs / charged.length;
    for (const call of this.#calls.values()) call.seen = true;
    if (charged.length > 0) this.#silentMs += passedMs;
    this.#lastMs = readMs;
    this.#isCurrent = this.#calls.size === 0;
  }
}
