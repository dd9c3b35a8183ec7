/** @module Values of a key-value namespace as callers see them. */

/** Separates the values of users, such as `[projectId, environment]`. */
export type Namespace = readonly [string, ...string[]];

export interface KvValue {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Media type given when the value was set. */
  readonly contentType: string;
  /** Changes with each write of the key. */
  readonly version: string;
  /** Milliseconds since the epoch; missing if the value does not expire. */
  readonly expiresAt?: number;
}

export interface KvItem {
  readonly key: string;
  /** Bytes of its value. */
  readonly size: number;
  readonly version: string;
  readonly expiresAt?: number;
}

export interface KvPage {
  readonly items: readonly KvItem[];
  /** The start of the next page; `null` after the last one. */
  readonly cursor: string | null;
}

/** A precondition of a write (atomic compare-and-set). */
export type KvCondition =
  | { readonly type: "absent" }
  | { readonly type: "version"; readonly version: string };

export interface SetOptions {
  readonly contentType: string;
  readonly ttlSeconds?: number | undefined;
  readonly condition?: KvCondition | undefined;
}

/** `conflict`: the condition was not met. `full`: the namespace has no space for the value. */
export type SetResult =
  | { readonly type: "set"; readonly version: string }
  | { readonly type: "conflict" }
  | { readonly type: "full"; readonly message: string };
