/** @module Values in a key-value namespace, as callers see them. */

/** Separates the values of different users, for example `[projectId, environment]`. */
export type Namespace = readonly [string, ...string[]];

export interface KvValue {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Media type given when the value was set. */
  readonly contentType: string;
  /** Changes each time the key is written. */
  readonly version: string;
  /** Milliseconds since the epoch; missing if the value does not expire. */
  readonly expiresAt?: number;
}

export interface KvItem {
  readonly key: string;
  /** Size of the value, in bytes. */
  readonly size: number;
  readonly version: string;
  readonly expiresAt?: number;
}

export interface KvPage {
  readonly items: readonly KvItem[];
  /** The key after which the next page starts; `null` on the last page. */
  readonly cursor: string | null;
}

/** A precondition for a write (atomic compare-and-set). */
export type KvCondition =
  | { readonly type: "absent" }
  | { readonly type: "version"; readonly version: string };

export interface SetOptions {
  readonly contentType: string;
  readonly ttlSeconds?: number | undefined;
  readonly condition?: KvCondition | undefined;
}

/** `conflict`: the condition was not met. `full`: the namespace has no room for the value. */
export type SetResult =
  | { readonly type: "set"; readonly version: string }
  | { readonly type: "conflict" }
  | { readonly type: "full"; readonly message: string };
