/**
 * Requests to the origin that others wait for (RFC 9111, 4: "collapsed
 * requests").
 *
 * @module
 */

/** How a request to the origin ended, for those who waited. */
export type Landing =
  /** There is an answer in store that was made or validated after they asked. */
  | { readonly type: "stored" }
  /** The answer is for the one who asked only. */
  | { readonly type: "not_stored" }
  /** The origin failed; a stale answer may stand in. */
  | { readonly type: "failed"; readonly unreachable: boolean }
  /** The origin could not be asked. */
  | { readonly type: "error"; readonly error: unknown };

export interface Flight {
  readonly startedAt: number;
  readonly landed: Promise<Landing>;
  land(landing: Landing): void;
}

/** Calls back after so many milliseconds; returns what takes the call back. */
export type Timer = (milliseconds: number, callback: () => void) => () => void;

/** The machine's timer. */
export const systemTimer: Timer = (milliseconds, callback) => {
  const id = setTimeout(callback, milliseconds);
  return () => clearTimeout(id);
};

/** Keys that are remembered as not worth waiting for. */
const MAX_LONERS = 4096;

/** Longest key that is worth remembering: who asks for longer ones asks for many. */
const MAX_LONER_CHARACTERS = 1024;

/** How long they are remembered, in milliseconds. */
const LONER_MILLISECONDS = 10_000;

/** At most one flight to a key. */
export class Flights {
  readonly #flights = new Map<string, Flight>();
  /** Keys whose last answer could not be shared, until when. */
  readonly #loners = new Map<string, number>();

  /** The flight to wait for. */
  find(key: string): Flight | undefined {
    return this.#flights.get(key);
  }

  /** True where waiting for another's answer would be in vain. */
  isLoner(key: string, now: number): boolean {
    return (this.#loners.get(key) ?? 0) > now;
  }

  /** Remembers whether answers of a key can be shared. */
  setLoner(key: string, isLoner: boolean, now: number): void {
    this.#loners.delete(key);
    if (!isLoner || key.length > MAX_LONER_CHARACTERS) return;
    this.#loners.set(key, now + LONER_MILLISECONDS);
    if (this.#loners.size > MAX_LONERS) this.#loners.delete(this.#loners.keys().next().value!);
  }

  /** Begins a flight that others may wait for, unless there is one. */
  start(key: string, now: number): Flight | undefined {
    if (this.#flights.has(key)) return undefined;
    const { promise, resolve } = Promise.withResolvers<Landing>();
    const flight: Flight = {
      startedAt: now,
      landed: promise,
      land: (landing) => {
        if (this.#flights.get(key) === flight) this.#flights.delete(key);
        resolve(landing);
      },
    };
    this.#flights.set(key, flight);
    return flight;
  }
}

/** Waits for a landing, but not for ever; `undefined` where it took too long. */
export async function awaitLanding(
  flight: Flight,
  options: { readonly milliseconds: number; readonly timer: Timer },
): Promise<Landing | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const cancel = options.timer(options.milliseconds, () => resolve(undefined));
  try {
    return await Promise.race([flight.landed, promise]);
  } finally {
    cancel();
  }
}
