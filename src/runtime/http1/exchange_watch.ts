/**
 * @module Ends an exchange early if the response is no longer awaited, or if its headers are late.
 */
import { Deadline, type Deadlines } from "./deadlines.ts";
import { OutboundError } from "./errors.ts";

/**
 * A signal that aborts a request whose response is no longer awaited. A function that returns the
 * signal is called only if the response is late or arrives in parts. Most requests never need the
 * signal, and getting it from a `Deno.serve` request takes several microseconds.
 */
export type LazySignal = AbortSignal | (() => AbortSignal);

/** Returns the signal, calling the function if there is one. */
export function resolveSignal(signal: LazySignal | undefined): AbortSignal | undefined {
  return typeof signal === "function" ? signal() : signal;
}

/** How long an exchange runs before it gets the signal that can end it, in milliseconds. */
export const SIGNAL_DELAY_MS = 100;

export interface WatchOptions {
  readonly signal?: LazySignal | undefined;
  /** Maximum time until the response headers arrive, in milliseconds; unlimited by default. */
  readonly headMs?: number;
}

/** Watches the exchanges of a connection, one after another. */
export class ExchangeWatch {
  #options: WatchOptions = {};
  #signal: AbortSignal | undefined;
  #isLate = false;
  readonly #deadline = new Deadline(() => this.#passed());
  readonly #abort = (): void => this.#end(new OutboundError("aborted", "The request was aborted"));

  readonly #deadlines: Deadlines;
  readonly #end: (failure: OutboundError) => void;

  /** `end` is called with the reason when an exchange ends early. */
  constructor(deadlines: Deadlines, end: (failure: OutboundError) => void) {
    this.#deadlines = deadlines;
    this.#end = end;
  }

  /** Begins to watch an exchange. */
  start(options: WatchOptions): void {
    const { signal, headMs = Infinity } = options;
    this.#options = options;
    this.#isLate = typeof signal !== "function";
    this.#deadlines.set(this.#deadline, this.#isLate ? headMs : Math.min(SIGNAL_DELAY_MS, headMs));
    if (this.#isLate) this.attachSignal();
  }

  #passed(): void {
    const { headMs = Infinity } = this.#options;
    if (this.#isLate || headMs <= SIGNAL_DELAY_MS) {
      return this.#end(new OutboundError("idle_timeout", "No response in time"));
    }
    this.#isLate = true;
    this.#deadlines.set(this.#deadline, headMs - SIGNAL_DELAY_MS);
    this.attachSignal();
  }

  /** Gets the signal and starts listening to it. */
  attachSignal(): void {
    this.#signal ??= resolveSignal(this.#options.signal);
    if (this.#signal?.aborted === true) this.#abort();
    else this.#signal?.addEventListener("abort", this.#abort, { once: true });
  }

  /** Removes the time limit for the head, because it has arrived. */
  headCame(): void {
    this.#deadline.at = Infinity;
  }

  /** Stops watching the exchange, because it is over. */
  stop(): void {
    this.headCame();
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#signal = undefined;
    this.#options = {};
  }
}
