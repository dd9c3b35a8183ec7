/** Accepts connections, even when the system is short of file descriptors or memory. @module */

/** The shortest and the longest pause after a failed accept, in milliseconds. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 1000;

interface AcceptLoop<C> {
  accept(): Promise<C>;
  /** Returns whether the listener is closed and no more connections will arrive. */
  isClosed(): boolean;
  /** Resolves when another connection is allowed; `undefined` if one is allowed now. */
  room(): Promise<void> | undefined;
  take(connection: C): void;
  /** Called when the system is short of file descriptors or memory. */
  onShortage(error: unknown): void;
  pause(milliseconds: number): Promise<void>;
}

/** Resolves when the listener is closed. */
export async function acceptAll<C>(loop: AcceptLoop<C>): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (!loop.isClosed()) {
    await loop.room();
    try {
      loop.take(await loop.accept());
      pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      if (loop.isClosed()) return;
      loop.onShortage(error);
      await loop.pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }
}
