/**
 * One at a time for each key, in the order of asking.
 *
 * @module
 */
export class KeyedLock {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs `work` once all earlier work of the key has ended, however it ended. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const own = before.then(work, work);
    this.last.set(key, own);
    try {
      return await own;
    } finally {
      if (this.last.get(key) === own) this.last.delete(key);
    }
  }

  /** Keys that are in use. */
  get size(): number {
    return this.last.size;
  }
}
