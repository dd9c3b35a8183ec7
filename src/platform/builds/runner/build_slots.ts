/**
 * Which users and caches builds have: a user is for one build at a time, and so is
 * the cache of a project. Pure.
 *
 * @module
 */

export interface BuildSlot {
  readonly uid: number;
  /** True if the build may use its project's cache, which no other build uses now. */
  readonly ownsCache: boolean;
}

export class BuildSlots {
  readonly #busyUsers = new Set<number>();
  readonly #busyCaches = new Set<string>();
  readonly #latest = new Map<string, number>();

  readonly #firstUid: number;

  /** @param firstUid The first of the users that builds run as. */
  constructor(firstUid: number) {
    this.#firstUid = firstUid;
  }

  /** Prefers the user of the project's last build if it is free, as it owns the cache. */
  take(projectId: string): BuildSlot {
    const before = this.#latest.get(projectId);
    let uid = before !== undefined && !this.#busyUsers.has(before) ? before : this.#firstUid;
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
