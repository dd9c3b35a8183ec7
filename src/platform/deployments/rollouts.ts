/**
 * Changes of hosts that are under way: the store may have one before the edge applies it.
 *
 * @module
 */

export class Rollouts {
  readonly #running = new Map<string, Set<Promise<unknown>>>();

  /** Runs a change: its commit, and all that edges are told of it. */
  async run<T>(projectId: string, change: () => Promise<T>): Promise<T> {
    const running = this.#running.get(projectId) ?? new Set();
    this.#running.set(projectId, running);
    const done = change();
    running.add(done);
    try {
      return await done;
    } finally {
      running.delete(done);
      if (running.size === 0 && this.#running.get(projectId) === running) {
        this.#running.delete(projectId);
      }
    }
  }

  /**
   * Resolves once edges show what the store had when this was called. Whoever has read that a
   * deployment is live waits for it before saying so.
   */
  async settled(projectId: string): Promise<void> {
    await Promise.allSettled(this.#running.get(projectId) ?? []);
  }
}
