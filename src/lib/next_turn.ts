/**
 * Giving way: long work on the thread of the platform pauses between its
 * pieces, so that requests that arrived meanwhile are answered.
 *
 * @module
 */

/** Resolves in a later turn of the event loop, after the I/O that is ready now. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Items that are handled in one turn. */
const ITEMS_PER_TURN = 500;

/** Calls `visit` for each item in order, and gives way every 500 items. */
export async function forEachInTurns<T>(
  items: readonly T[],
  visit: (item: T, index: number) => void,
): Promise<void> {
  for (let index = 0; index < items.length; index++) {
    if (index > 0 && index % ITEMS_PER_TURN === 0) await nextTurn();
    visit(items[index]!, index);
  }
}
