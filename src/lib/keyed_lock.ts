/**
 * A lock for each key, granted in the order of the calls.
 *
 * @module
 */
export class KeyedLock {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs `work` once all earlier work of the key has ended, however it ended. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.runAll([key], work);
  }

  /**
   * Runs `work` once all earlier work of each of the keys has ended. All keys
   * are joined at once, so two callers never wait for each other.
   */
  async runAll<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = Promise.allSettled(keys.map((key) => this.last.get(key)));
    const own = before.then(work);
    for (const key of keys) this.last.set(key, own);
    try {
      return await own;
    } finally {
      for (const key of keys) {
        if (this.last.get(key) === own) this.last.delete(key);
      }
    }
  }

  /** Keys that are in use. */
  get size(): number {
    return this.last.size;
  }
}
