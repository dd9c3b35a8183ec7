/** @module Yields during long work, so waiting requests are handled. */

/**
 * Resolves in a later turn of the event loop, after the I/O that is ready now. With `setImmediate`
 * or message channels, which run before that I/O, requests would starve.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Maximum time that work may occupy the thread before yielding, in milliseconds. */
const TURN_MS = 3;

/** A function that yields to other work if a pause is due. */
export type Pause = () => Promise<void> | undefined;

/**
 * Creates the pauses for one piece of work. The pauses yield like {@link nextTurn}, but only after
 * several milliseconds of work, because yielding itself takes about a millisecond. `now` is a clock
 * in milliseconds.
 */
export function createPause(now: () => number = () => performance.now()): Pause {
  let since = now();
  const resume = (): void => {
    since = now();
  };
  return () => now() - since < TURN_MS ? undefined : nextTurn().then(resume);
}

/** Work that yields wherever it can be interrupted, and returns its result. */
export type Steps<T> = Generator<void, T, void>;

/**
 * Measures work that consists of pieces of different sizes, to divide it into steps of similar
 * cost. The caller chooses the unit of cost.
 */
export class Pace {
  #spent = 0;

  readonly #perStep: number;

  /** `perStep` is the cost of the work between two interruptions. */
  constructor(perStep: number) {
    this.#perStep = perStep;
  }

  /** Adds the cost of completed work. */
  spend(cost: number): void {
    this.#spent += cost;
  }

  /** Records completed work. Returns true if the step is full and the next one begins. */
  fills(cost = 0): boolean {
    this.#spent += cost;
    if (this.#spent < this.#perStep) return false;
    this.#spent = 0;
    return true;
  }
}

/** Number of items that are handled between two interruptions. */
const ITEMS_PER_STEP = 1000;

/** Calls `visit` for each item in order. Yields every 1000 items. */
export function* inSteps<T>(
  items: Iterable<T>,
  visit: (item: T, index: number) => void,
): Steps<void> {
  let index = 0;
  for (const item of items) {
    if (index > 0 && index % ITEMS_PER_STEP === 0) yield;
    visit(item, index++);
  }
}

/** Does `work` over several turns of the event loop. Calls `pause` after each step. */
export async function inTurns<T>(work: Steps<T>, pause: Pause = createPause()): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
}

/** Does all of `work` in one turn, without pauses. */
export function atOnce<T>(work: Steps<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
