/**
 * Stored responses: in memory, bounded in bytes, found by key and by URI. Bodies
 * that are still arriving count as well.
 *
 * @module
 */
import type { HeaderList } from "../messages/mod.ts";
import type { CacheReader, ResourceUri, StoredResponse } from "./types.ts";
import { matchesVary } from "./vary.ts";

/** Memory of an entry beside its texts and bytes, in bytes: map slots, arrays, objects. */
const ENTRY_OVERHEAD = 1024;

/** Responses of one key that differ by `Vary`; more would make every lookup slow. */
const MAX_VARIANTS = 32;

/** Share of the capacity for bodies that are still arriving. */
const MAX_RESERVED_SHARE = 0.5;

/** A stored response with its key and URI. */
export interface Entry extends StoredResponse {
  readonly key: string;
  readonly uri: ResourceUri;
  readonly cost: number;
  /** Whether it was served since the CLOCK hand last passed. */
  used: boolean;
  /** Header fields of a fresh hit, shared by all hits within one second. */
  hit: { readonly second: number; readonly headers: HeaderList } | undefined;
}

/** Which responses of a deployment to remove. */
export type PurgeScope =
  | { readonly type: "all" }
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "prefix"; readonly prefix: string };

/** A response that is being fetched for the store; a purge meanwhile discards it. */
export interface PendingInsert {
  readonly uri: ResourceUri;
  discarded: boolean;
}

function textBytes({ headers, vary }: StoredResponse, key: string): number {
  let characters = key.length;
  for (const [name, value] of headers) characters += name.length + value.length;
  for (const { name, value } of vary) characters += name.length + (value?.length ?? 0);
  return characters * 2;
}

function covers(scope: PurgeScope, path: string): boolean {
  switch (scope.type) {
    case "all":
      return true;
    case "path":
      return path === scope.path;
    case "prefix":
      return path.startsWith(scope.prefix);
  }
}

/**
 * Entries by key, evicted by the CLOCK algorithm: those that were not used since
 * the hand last passed go first.
 */
export class CacheStore {
  readonly #byKey = new Map<string, Entry[]>();
  /** In the order of the CLOCK hand, the oldest first. */
  readonly #clock = new Set<Entry>();
  /** By deployment, then by path. */
  readonly #byUri = new Map<string, Map<string, Set<Entry>>>();
  readonly #pendingInserts = new Set<PendingInsert>();
  #entryBytes = 0;
  #reserved = 0;

  constructor(private readonly capacity: number) {}

  /** Bytes in use, with the overhead of entries and arriving bodies; never above the capacity. */
  get byteLength(): number {
    return this.#entryBytes + this.#reserved;
  }

  get size(): number {
    return this.#clock.size;
  }

  /** The stored responses of a key. */
  candidates(key: string): readonly Entry[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Reserves memory for a part of an arriving body; false where none is left. */
  reserve(bytes: number): boolean {
    if (this.#reserved + bytes > this.capacity * MAX_RESERVED_SHARE) return false;
    this.#reserved += bytes;
    this.#evict();
    return true;
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
  }

  /** Announces a response, before its request goes to the origin. */
  beginInsert(uri: ResourceUri): PendingInsert {
    const pending: PendingInsert = { uri, discarded: false };
    this.#pendingInserts.add(pending);
    return pending;
  }

  /** Ends what `beginInsert()` began. */
  endInsert(pending: PendingInsert): void {
    this.#pendingInserts.delete(pending);
  }

  /**
   * Stores a response, in place of those that the same request would have found.
   * Returns `undefined` where it was discarded or does not fit.
   */
  put(
    stored: StoredResponse,
    where: {
      readonly key: string;
      readonly pending: PendingInsert;
      readonly request: CacheReader;
    },
  ): Entry | undefined {
    const { key, pending, request } = where;
    const { body, text = "" } = stored;
    const cost = body.byteLength + text.length + textBytes(stored, key) + ENTRY_OVERHEAD;
    if (pending.discarded || cost + this.#reserved > this.capacity) return undefined;
    for (const older of [...this.candidates(key)]) {
      if (matchesVary(older, request)) this.remove(older);
    }
    const variants = this.#byKey.get(key);
    if (variants !== undefined && variants.length >= MAX_VARIANTS) this.remove(variants[0]!);
    const entry: Entry = { ...stored, key, uri: pending.uri, cost, used: false, hit: undefined };
    this.#entryBytes += cost;
    this.#evict();
    this.#link(entry);
    return entry;
  }

  #link(entry: Entry): void {
    const { key, uri } = entry;
    const variants = this.#byKey.get(key);
    if (variants === undefined) this.#byKey.set(key, [entry]);
    else variants.push(entry);
    this.#clock.add(entry);
    let paths = this.#byUri.get(uri.deploymentId);
    if (paths === undefined) this.#byUri.set(uri.deploymentId, paths = new Map());
    const entries = paths.get(uri.path);
    if (entries === undefined) paths.set(uri.path, new Set([entry]));
    else entries.add(entry);
  }

  /** Removes an entry; does nothing where it is gone already. */
  remove(entry: Entry): void {
    if (!this.#clock.delete(entry)) return;
    this.#entryBytes -= entry.cost;
    const variants = this.#byKey.get(entry.key)!;
    if (variants.length === 1) this.#byKey.delete(entry.key);
    else variants.splice(variants.indexOf(entry), 1);
    const { deploymentId, path } = entry.uri;
    const paths = this.#byUri.get(deploymentId)!;
    const entries = paths.get(path)!;
    entries.delete(entry);
    if (entries.size === 0) paths.delete(path);
    if (paths.size === 0) this.#byUri.delete(deploymentId);
  }

  /** Removes responses of a deployment, and discards arriving ones; returns how many were stored. */
  purge(deploymentId: string, scope: PurgeScope): number {
    return this.#forget(deploymentId, scope, () => true);
  }

  /** Removes all responses of one URI of a deployment (RFC 9111, 4.4). */
  invalidate(uri: ResourceUri): number {
    const { host, rawQuery } = uri;
    return this.#forget(
      uri.deploymentId,
      { type: "path", path: uri.path },
      (other) => other.host === host && other.rawQuery === rawQuery,
    );
  }

  #forget(deploymentId: string, scope: PurgeScope, isMeant: (uri: ResourceUri) => boolean): number {
    for (const pending of this.#pendingInserts) {
      const { uri } = pending;
      if (uri.deploymentId === deploymentId && covers(scope, uri.path) && isMeant(uri)) {
        pending.discarded = true;
      }
    }
    const paths = this.#byUri.get(deploymentId);
    if (paths === undefined) return 0;
    const meant = scope.type === "path"
      ? [...paths.get(scope.path) ?? []]
      : [...paths].flatMap(([path, entries]) => covers(scope, path) ? [...entries] : []);
    const doomed = meant.filter(({ uri }) => isMeant(uri));
    for (const entry of doomed) this.remove(entry);
    return doomed.length;
  }

  /** Evicts the oldest entries; one that was used gets a second chance. */
  #evict(): void {
    for (const entry of this.#clock) {
      if (this.byteLength <= this.capacity) return;
      if (entry.used) {
        entry.used = false;
        this.#clock.delete(entry);
        this.#clock.add(entry);
      } else {
        this.remove(entry);
      }
    }
  }
}
