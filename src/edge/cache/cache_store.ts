/** @module Stores responses in memory, up to a limit in bytes, and finds them by key and by URI. */
import type { PurgeScope, ResourceUri } from "../../feed/mod.ts";
import { ClockRing, type RingEntry } from "../../lib/clock_ring.ts";
import type { HeaderList } from "../messages/header_list.ts";
import type { KeptBodies } from "../messages/kept_bodies.ts";
import type { CacheReader, StoredResponse } from "./types.ts";
import { matchesVary } from "./vary.ts";

/**
 * Memory that an entry uses in addition to its strings and body, in bytes: map slots, arrays,
 * objects, and the fields of the entry's latest hit. In a measurement, a 13 KB page that counts as
 * 15.7 KB used 15.8 KB.
 */
const ENTRY_OVERHEAD = 1600;

/**
 * Maximum number of responses per key that differ by `Vary`. More responses would slow down every
 * lookup.
 */
const MAX_VARIANTS = 32;

/** Fraction of the capacity that is available to bodies that are still arriving. */
const MAX_RESERVED_SHARE = 0.5;

/** A stored response with its key and URI. */
export interface Entry extends StoredResponse, RingEntry<Entry> {
  readonly key: string;
  readonly uri: ResourceUri;
  readonly cost: number;
  /** See `StoredResponse`. */
  staleSince: number | undefined;
  /** Header fields of a fresh hit, shared by all hits within one second. */
  hit: { readonly second: number; readonly headers: HeaderList } | undefined;
}

/**
 * A response that is being fetched and will then be stored. A purge in the meantime discards it.
 */
export interface PendingInsert {
  readonly uri: ResourceUri;
  discarded: boolean;
  /** Tags that were purged in the meantime. */
  readonly purgedTags: Set<string>;
}

function textBytes({ headers, vary, tags }: StoredResponse, key: string): number {
  let characters = key.length;
  for (const tag of tags) characters += tag.length;
  for (const [name, value] of headers) characters += name.length + value.length;
  for (const { name, value } of vary) characters += name.length + (value?.length ?? 0);
  return characters * 2;
}

function makeEntry(
  stored: StoredResponse,
  { key, uri, cost, body }: Pick<Entry, "key" | "uri" | "cost" | "body">,
): Entry {
  return {
    status: stored.status,
    headers: stored.headers,
    body,
    terms: stored.terms,
    initialAge: stored.initialAge,
    responseTime: stored.responseTime,
    vary: stored.vary,
    tags: stored.tags,
    etag: stored.etag,
    lastModified: stored.lastModified,
    key,
    uri,
    cost,
    used: false,
    previous: undefined,
    next: undefined,
    staleSince: stored.staleSince,
    hit: undefined,
  };
}

/** Whether a purge covers a response. */
export function isPurged(
  scope: PurgeScope,
  { path, tags }: { readonly path: string; readonly tags: readonly string[] },
): boolean {
  switch (scope.type) {
    case "all":
      return true;
    case "path":
      return path === scope.path;
    case "prefix":
      return path.startsWith(scope.prefix);
    case "tag":
      return tags.includes(scope.tag);
  }
}

/**
 * Entries by key, evicted by the CLOCK algorithm: entries that have not been used since the clock
 * hand last passed them are evicted first.
 */
export class CacheStore {
  readonly #byKey = new Map<string, Entry[]>();
  readonly #clock = new ClockRing<Entry>();
  /** Entries by deployment, then by path. */
  readonly #byUri = new Map<string, Map<string, Set<Entry>>>();
  /** Entries by deployment and tag. */
  readonly #byTag = new Map<string, Set<Entry>>();
  readonly #pendingInserts = new Set<PendingInsert>();
  #entryBytes = 0;
  #reserved = 0;

  readonly #capacity: number;
  readonly #bodies: KeptBodies;

  constructor(capacity: number, bodies: KeptBodies) {
    this.#capacity = capacity;
    this.#bodies = bodies;
  }

  /**
   * Number of bytes in use, including the overhead of entries and of arriving bodies. Never above
   * the capacity.
   */
  get byteLength(): number {
    return this.#entryBytes + this.#reserved;
  }

  get size(): number {
    return this.#clock.size;
  }

  /** Returns the responses stored under a key. */
  candidates(key: string): readonly Entry[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Reserves memory for a part of an arriving body. Returns false if none is left. */
  reserve(bytes: number): boolean {
    if (this.#reserved + bytes > this.#capacity * MAX_RESERVED_SHARE) return false;
    this.#reserved += bytes;
    this.#evict();
    return true;
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
  }

  /** Announces a response before its request is sent to the origin. */
  beginInsert(uri: ResourceUri): PendingInsert {
    const pending: PendingInsert = { uri, discarded: false, purgedTags: new Set() };
    this.#pendingInserts.add(pending);
    return pending;
  }

  /** Ends an insert that `beginInsert()` announced. */
  endInsert(pending: PendingInsert): void {
    this.#pendingInserts.delete(pending);
  }

  /**
   * Stores a response, and replaces the responses that match the same request. Returns `undefined`
   * if the response was discarded or does not fit.
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
    if (pending.discarded || stored.tags.some((tag) => pending.purgedTags.has(tag))) {
      return undefined;
    }
    const cost = stored.body.length + textBytes(stored, key) + ENTRY_OVERHEAD;
    if (cost + this.#reserved > this.#capacity) return undefined;
    for (const older of [...this.candidates(key)]) {
      if (matchesVary(older, request)) this.remove(older);
    }
    const variants = this.#byKey.get(key);
    if (variants !== undefined && variants.length >= MAX_VARIANTS) this.remove(variants[0]!);
    this.#entryBytes += cost;
    this.#evict();
    const body = this.#bodies.keep(stored.body);
    const entry = makeEntry(stored, { key, uri: pending.uri, cost, body });
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
    for (const tag of entry.tags) {
      const tagKey = `${uri.deploymentId} ${tag}`;
      const tagged = this.#byTag.get(tagKey);
      if (tagged === undefined) this.#byTag.set(tagKey, new Set([entry]));
      else tagged.add(entry);
    }
  }

  /** Removes an entry. Does nothing if it has already been removed. */
  remove(entry: Entry): void {
    if (!this.#clock.remove(entry)) return;
    this.#entryBytes -= entry.cost;
    this.#bodies.drop(entry.body);
    const variants = this.#byKey.get(entry.key)!;
    if (variants.length === 1) this.#byKey.delete(entry.key);
    else variants.splice(variants.indexOf(entry), 1);
    const { deploymentId, path } = entry.uri;
    const paths = this.#byUri.get(deploymentId)!;
    const entries = paths.get(path)!;
    entries.delete(entry);
    if (entries.size === 0) paths.delete(path);
    if (paths.size === 0) this.#byUri.delete(deploymentId);
    for (const tag of entry.tags) {
      const tagKey = `${deploymentId} ${tag}`;
      const tagged = this.#byTag.get(tagKey)!;
      tagged.delete(entry);
      if (tagged.size === 0) this.#byTag.delete(tagKey);
    }
  }

  /**
   * Removes a deployment's responses, or marks them as stale since a given time. Discards responses
   * that are being fetched. Returns the number of stored responses that were affected.
   */
  purge(deploymentId: string, scope: PurgeScope, staleSince?: number): number {
    this.#discardPending(deploymentId, scope, () => true);
    const meant = this.#meant(deploymentId, scope);
    for (const entry of meant) {
      if (staleSince === undefined) this.remove(entry);
      else entry.staleSince ??= staleSince;
    }
    return meant.length;
  }

  /** Removes everything, and discards responses that are being fetched. */
  clear(): void {
    for (const pending of this.#pendingInserts) pending.discarded = true;
    for (const id of [...this.#byUri.keys()]) this.purge(id, { type: "all" });
  }

  /** Removes all responses for one URI of a deployment (RFC 9111, 4.4). */
  invalidate({ deploymentId, host, path, rawQuery }: ResourceUri): number {
    const scope: PurgeScope = { type: "path", path };
    const isSame = (uri: ResourceUri) => uri.host === host && uri.rawQuery === rawQuery;
    this.#discardPending(deploymentId, scope, isSame);
    const doomed = this.#meant(deploymentId, scope).filter(({ uri }) => isSame(uri));
    for (const entry of doomed) this.remove(entry);
    return doomed.length;
  }

  #discardPending(
    deploymentId: string,
    scope: PurgeScope,
    isMeant: (uri: ResourceUri) => boolean,
  ): void {
    for (const pending of this.#pendingInserts) {
      const { uri } = pending;
      if (uri.deploymentId !== deploymentId || !isMeant(uri)) continue;
      if (scope.type === "tag") pending.purgedTags.add(scope.tag);
      else if (isPurged(scope, { path: uri.path, tags: [] })) pending.discarded = true;
    }
  }

  /** Returns a deployment's stored responses that are covered by a purge. */
  #meant(deploymentId: string, scope: PurgeScope): readonly Entry[] {
    if (scope.type === "tag") return [...this.#byTag.get(`${deploymentId} ${scope.tag}`) ?? []];
    const paths = this.#byUri.get(deploymentId);
    if (paths === undefined) return [];
    if (scope.type === "path") return [...paths.get(scope.path) ?? []];
    return [...paths].flatMap(([path, entries]) =>
      isPurged(scope, { path, tags: [] }) ? [...entries] : []
    );
  }

  /** Evicts the oldest entries. A used entry gets a second chance. */
  #evict(): void {
    while (this.byteLength > this.#capacity) {
      const entry = this.#clock.victim();
      if (entry === undefined) return;
      this.remove(entry);
    }
  }
}
