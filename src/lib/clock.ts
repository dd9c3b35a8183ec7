/** @module Time and randomness as values that callers pass in. */

/** The current time in milliseconds since the Unix epoch. */
export type Clock = () => number;

/** Returns `count` unpredictable bytes. */
export type Random = (count: number) => Uint8Array<ArrayBuffer>;

/** The machine's clock. */
export const systemClock: Clock = () => Date.now();

/** The operating system's cryptographic random generator. */
export const systemRandom: Random = (count) => crypto.getRandomValues(new Uint8Array(count));
