/**
 * @module Collapses requests (RFC 9111, 4): requests with the same key wait for the one that is in
 * flight.
 */

/** The outcome of a request to the origin, for the requests that waited for it. */
export type FetchOutcome =
  /** The response is stored. It was generated or validated after the waiting requests arrived. */
  | { readonly type: "stored" }
  /** The response is only for the request that fetched it. */
  | { readonly type: "not_stored" }
  /** The origin failed, so a stale response may be served. */
  | { readonly type: "failed"; readonly unreachable: boolean }
  /** The request to the origin failed. */
  | { readonly type: "error"; readonly error: unknown };

export interface InFlightRequest {
  readonly startedAt: number;
  readonly outcome: Promise<FetchOutcome>;
  settle(outcome: FetchOutcome): void;
}

/** Calls back after the given number of milliseconds. Returns a function that cancels the call. */
export type Timer = (milliseconds: number, callback: () => void) => () => void;

/** The runtime's timer. */
export const systemTimer: Timer = (milliseconds, callback) => {
  const id = setTimeout(callback, milliseconds);
  return () => clearTimeout(id);
};

/** Maximum number of hit-for-miss keys at a time. */
const MAX_HITS_FOR_MISS = 4096;

/**
 * Maximum length of a hit-for-miss key, in characters. A client that sends longer keys usually
 * sends many different ones.
 */
const MAX_KEY_CHARACTERS = 1024;

/** How long a key stays hit-for-miss, in milliseconds. */
const HIT_FOR_MISS_MILLISECONDS = 10_000;

/**
 * The requests in flight, at most one per key, and the hit-for-miss keys. If the last response for
 * a key could not be shared, the key is hit-for-miss: its requests do not wait for each other.
 */
export class InFlightRequests {
  readonly #byKey = new Map<string, InFlightRequest>();
  /** The time until which each key is hit-for-miss. */
  readonly #hitsForMiss = new Map<string, number>();

  /** Returns the request in flight that a request with this key can wait for, if any. */
  find(key: string): InFlightRequest | undefined {
    return this.#byKey.get(key);
  }

  /** Whether requests with a key go to the origin without waiting for each other. */
  isHitForMiss(key: string, now: number): boolean {
    return (this.#hitsForMiss.get(key) ?? 0) > now;
  }

  /** Records whether the last response for a key could be shared. */
  setHitForMiss(key: string, isHitForMiss: boolean, now: number): void {
    this.#hitsForMiss.delete(key);
    if (!isHitForMiss || key.length > MAX_KEY_CHARACTERS) return;
    this.#hitsForMiss.set(key, now + HIT_FOR_MISS_MILLISECONDS);
    if (this.#hitsForMiss.size > MAX_HITS_FOR_MISS) {
      this.#hitsForMiss.delete(this.#hitsForMiss.keys().next().value!);
    }
  }

  /** Starts a request that other requests may wait for, unless one is in flight. */
  start(key: string, now: number): InFlightRequest | undefined {
    if (this.#byKey.has(key)) return undefined;
    const { promise, resolve } = Promise.withResolvers<FetchOutcome>();
    const inFlight: InFlightRequest = {
      startedAt: now,
      outcome: promise,
      settle: (outcome) => {
        if (this.#byKey.get(key) === inFlight) this.#byKey.delete(key);
        resolve(outcome);
      },
    };
    this.#byKey.set(key, inFlight);
    return inFlight;
  }
}

/** Waits for the outcome of a request. Returns `undefined` if it takes too long. */
export async function awaitOutcome(
  inFlight: InFlightRequest,
  options: { readonly milliseconds: number; readonly timer: Timer },
): Promise<FetchOutcome | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const cancel = options.timer(options.milliseconds, () => resolve(undefined));
  try {
    return await Promise.race([inFlight.outcome, promise]);
  } finally {
    cancel();
  }
}
