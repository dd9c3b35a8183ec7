/** Gives each build a user and a cache that no other build uses. Pure. @module */

export interface BuildSlot {
  readonly uid: number;
  /** True if the build may use its project's cache, because no other build is using it. */
  readonly ownsCache: boolean;
}

export class BuildSlots {
  readonly #busyUsers = new Set<number>();
  readonly #busyCaches = new Set<string>();
  readonly #latest = new Map<string, number>();

  readonly #firstUid: number;

  constructor(firstUid: number) {
    this.#firstUid = firstUid;
  }

  /** Prefers the user of the project's last build, who owns the cache, if that user is free. */
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
