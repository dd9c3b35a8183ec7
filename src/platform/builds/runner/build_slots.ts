/**
 * The users that builds run as, each for one build at a time, and the caches
 * of projects, each used by one build at a time. Pure bookkeeping.
 *
 * @module
 */

export interface BuildSlot {
  readonly uid: number;
  /** True where the build may use its project's cache: no other does now. */
  readonly ownsCache: boolean;
}

export class BuildSlots {
  readonly #busyUsers = new Set<number>();
  readonly #busyCaches = new Set<string>();
  readonly #latest = new Map<string, number>();

  /** @param firstUid users from this one on belong to builds */
  constructor(private readonly firstUid: number) {}

  /** Takes the user that the project had before, where that one is free: its cache is owned by it. */
  take(projectId: string): BuildSlot {
    const before = this.#latest.get(projectId);
    let uid = before !== undefined && !this.#busyUsers.has(before) ? before : this.firstUid;
    while (this.#busyUsers.has(uid)) uid++;
    const ownsCache = !this.#busyCaches.has(projectId);
    this.#busyUsers.add(uid);
    if (ownsCache) {
      this.#busyCaches.add(projectId);
      this.#latest.set(projectId, uid);
    }
    return { uid, ownsCache };
  }

  give(projectId: string, { uid, ownsCache }: BuildSlot): void {
    this.#busyUsers.delete(uid);
    if (ownsCache) this.#busyCaches.delete(projectId);
  }

  forget(projectId: string): void {
    this.#latest.delete(projectId);
  }
}
