/**
 * The names by which edges and their workers know each other in a process. Each edge has numbers of its own: the platform
 * the first ones, then its threads.
 *
 * @module
 */

/** Numbers of each edge: those of the platform, 256 threads and a spare one fit a frame. */
const NUMBERS = 254;

/** Which edge has the worker of a number: 0 for the platform, then the threads from 1. */
export function memberOf(number: number): number {
  return Math.floor((number - 1) / NUMBERS);
}

/** Name of a thread's socket in the private folder of a process. */
export const threadSocket = (member: number): string => `t${member}`;

/** Gives numbers to the workers of one edge. */
export class WorkerNumbers {
  readonly #before: number;
  #last = 0;

  constructor(member: number) {
    this.#before = member * NUMBERS;
  }

  /** A number that is not in use. */
  next(inUse: { has(number: number): boolean }): number {
    do this.#last = this.#last % NUMBERS + 1; while (inUse.has(this.#before + this.#last));
    return this.#before + this.#last;
  }
}
