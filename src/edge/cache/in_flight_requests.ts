/**
 * Requests to the origin that others wait for (RFC 9111, 4: "collapsed
 * requests").
 *
 * @module
 */

/** How a request to the origin ended, for those who waited. */
export type FetchOutcome =
  /** There is an answer in store that was made or validated after they asked. */
  | { readonly type: "stored" }
  /** The answer is for the one who asked only. */
  | { readonly type: "not_stored" }
  /** The origin failed; a stale answer may stand in. */
  | { readonly type: "failed"; readonly unreachable: boolean }
  /** The origin could not be asked. */
  | { readonly type: "error"; readonly error: unknown };

export interface InFlightRequest {
  readonly startedAt: number;
  readonly outcome: Promise<FetchOutcome>;
  settle(outcome: FetchOutcome): void;
}

/** Calls back after so many milliseconds; returns what takes the call back. */
export type Timer = (milliseconds: number, callback: () => void) => () => void;

/** The machine's timer. */
export const systemTimer: Timer = (milliseconds, callback) => {
  const id = setTimeout(callback, milliseconds);
  return () => clearTimeout(id);
};

/** Keys that are remembered as not worth waiting for. */
const MAX_HITS_FOR_MISS = 4096;

/** Longest key that is worth remembering: who asks for longer ones asks for many. */
const MAX_KEY_CHARACTERS = 1024;

/** How long they are remembered, in milliseconds. */
const HIT_FOR_MISS_MILLISECONDS = 10_000;

/** At most one flight to a key. */
export class InFlightRequests {
  readonly #inFlightRequests = new Map<string, InFlightRequest>();
  /** Keys whose last answer could not be shared, until when. */
  readonly #hitsForMiss = new Map<string, number>();

  /** The flight to wait for. */
  find(key: string): InFlightRequest | undefined {
    return this.#inFlightRequests.get(key);
  }

  /** True where waiting for another's answer would be in vain. */
  isHitForMiss(key: string, now: number): boolean {
    return (this.#hitsForMiss.get(key) ?? 0) > now;
  }

  /** Remembers whether answers of a key can be shared. */
  setHitForMiss(key: string, isHitForMiss: boolean, now: number): void {
    this.#hitsForMiss.delete(key);
    if (!isHitForMiss || key.length > MAX_KEY_CHARACTERS) return;
    this.#hitsForMiss.set(key, now + HIT_FOR_MISS_MILLISECONDS);
    if (this.#hitsForMiss.size > MAX_HITS_FOR_MISS) {
      this.#hitsForMiss.delete(this.#hitsForMiss.keys().next().value!);
    }
  }

  /** Begins a flight that others may wait for, unless there is one. */
  start(key: string, now: number): InFlightRequest | undefined {
    if (this.#inFlightRequests.has(key)) return undefined;
    const { promise, resolve } = Promise.withResolvers<FetchOutcome>();
    const inFlight: InFlightRequest = {
      startedAt: now,
      outcome: promise,
      settle: (outcome) => {
        if (this.#inFlightRequests.get(key) === inFlight) this.#inFlightRequests.delete(key);
        resolve(outcome);
      },
    };
    this.#inFlightRequests.set(key, inFlight);
    return inFlight;
  }
}

/** Waits for a landing, but not for ever; `undefined` where it took too long. */
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
