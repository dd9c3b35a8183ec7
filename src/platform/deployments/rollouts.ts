/** Changes to hosts that are stored before the edge applies them. @module */

export class Rollouts {
  readonly #running = new Map<string, Set<Promise<unknown>>>();

  /** Runs a change to a project's hosts. Until it ends, `settled()` waits for it. */
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
   * Resolves when the edges have applied the state that was stored at the time of the call. Code
   * that reports a deployment as live must wait for this first.
   */
  async settled(projectId: string): Promise<void> {
    await Promise.allSettled(this.#running.get(projectId) ?? []);
  }
}
