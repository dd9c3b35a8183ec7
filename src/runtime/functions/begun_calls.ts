/**
 * Which calls a worker has started: one number that the worker's thread and the process's own
 * thread share. Calls begin in the order of their ids, so the number says it all; whoever raises it
 * first decides whether a call begins or is withdrawn, even while the worker's thread spins.
 *
 * It is used beside functions, which may have changed the global scope: it takes
 * what it needs of that at load.
 *
 * @module
 */
const { load, compareExchange } = Atomics;

/** The number, in shared memory. */
export type BegunCell = Int32Array<SharedArrayBuffer>;

/** Makes the number of a new worker. */
export function makeBegunCell(): BegunCell {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** Raises the number to `id`; returns what it was, or `undefined` if it is that high already. */
function raise(cell: BegunCell, id: number): number | undefined {
  for (;;) {
    const before = load(cell, 0);
    if (before >= id) return undefined;
    if (compareExchange(cell, 0, before, id) === before) return before;
  }
}

/** Begins a call; false if it was withdrawn. */
export function beginCall(cell: BegunCell, id: number): boolean {
  return raise(cell, id) !== undefined;
}

/**
 * Takes back the calls up to the id `last` that have not begun: they never will. Returns the id of
 * the last one that has started.
 */
export function takeBackCalls(cell: BegunCell, last: number): number {
  return raise(cell, last) ?? last;
}
