/** @module A lock for each key, granted in call order. */

/** The holders of a key's lock, and the callers that wait for the lock. */
interface Line {
  /** The last waiter for an exclusive lock. */
  alone: Promise<unknown> | undefined;
  /** Later waiters for a shared lock. */
  readonly sharing: Set<Promise<unknown>>;
  count: number;
}

export class KeyedLock {
  readonly #lines = new Map<string, Line>();

  /** Runs `work` once all earlier work for the key has finished, even if it failed. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.runAll([key], work);
  }

  /**
   * Runs `work` once all earlier work for each of the keys has finished. All keys are queued in one
   * step, so two callers never wait for each other.
   *
   * @param shared Keys to lock in shared mode: `work` waits only for earlier work that has them in
   * `keys`.
   */
  async runAll<T>(
    keys: readonly string[],
    work: () => Promise<T>,
    shared: readonly string[] = [],
  ): Promise<T> {
    const alone = new Set(keys);
    const wanted = new Set([...keys, ...shared]);
    const lines = [...wanted].map((key) => ({ key, line: this.#line(key) }));
    const before = lines.flatMap(({ key, line }) =>
      alone.has(key) ? [line.alone, ...line.sharing] : [line.alone]
    );
    const own = Promise.allSettled(before).then(work);
    for (const { key, line } of lines) join(line, own, alone.has(key));
    try {
      return await own;
    } finally {
      for (const { key, line } of lines) {
        line.sharing.delete(own);
        if (--line.count === 0) this.#lines.delete(key);
      }
    }
  }

  /** Returns the number of holders and waiters for the busiest of these keys. */
  longest(keys: readonly string[]): number {
    return Math.max(0, ...keys.map((key) => this.#lines.get(key)?.count ?? 0));
  }

  /** Number of keys that are in use. */
  get size(): number {
    return this.#lines.size;
  }

  #line(key: string): Line {
    const known = this.#lines.get(key);
    if (known !== undefined) return known;
    const line: Line = { alone: undefined, sharing: new Set(), count: 0 };
    this.#lines.set(key, line);
    return line;
  }
}

function join(line: Line, own: Promise<unknown>, isAlone: boolean): void {
  line.count++;
  if (isAlone) {
    // The shared locks no longer need an entry, because this lock waits for them, and later locks
    // wait for this lock.
    line.alone = own;
    line.sharing.clear();
  } else {
    line.sharing.add(own);
  }
}
