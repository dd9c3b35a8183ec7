/**
 * @module Tracks the calls that a worker has started, in one number shared by the worker's thread
 * and the process's main thread. Calls start in the order of their IDs, so one number is enough.
 * Whichever thread raises the number first decides whether a call starts or is withdrawn, even
 * while the worker's thread is stuck in a loop.
 *
 * Functions may have changed the global scope, so this module captures what it needs when it loads.
 */
const { load, compareExchange } = Atomics;

/** The ID of the last call that was started or withdrawn, in shared memory. */
export type BegunCell = Int32Array<SharedArrayBuffer>;

/** Creates the shared number for a new worker. */
export function makeBegunCell(): BegunCell {
  return new Int32Array(new SharedArrayBuffer(4));
}

/**
 * Raises the number to `id` and returns the previous number, or `undefined` if it was already at
 * least `id`.
 */
function raise(cell: BegunCell, id: number): number | undefined {
  for (;;) {
    const before = load(cell, 0);
    if (before >= id) return undefined;
    if (compareExchange(cell, 0, before, id) === before) return before;
  }
}

/** Begins a call. Returns false if the call was withdrawn. */
export function beginCall(cell: BegunCell, id: number): boolean {
  return raise(cell, id) !== undefined;
}

/**
 * Withdraws the calls up to the ID `last` that have not started. Returns the ID of the last call
 * that has started.
 */
export function takeBackCalls(cell: BegunCell, last: number): number {
  return raise(cell, last) ?? last;
}
