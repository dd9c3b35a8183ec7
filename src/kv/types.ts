/**
 * Values of a key-value namespace as callers see them.
 *
 * @module
 */

/** What separates one user's values from another's, such as `[projectId, environment]`. */
export type Namespace = readonly [string, ...string[]];

export interface KvValue {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Media type as it was given when the value was set. */
  readonly contentType: string;
  /** Changes with each write of the key. */
  readonly version: string;
  /** Milliseconds since the epoch; missing where it stays. */
  readonly expiresAt?: number;
}

/** A key in a list. */
export interface KvItem {
  readonly key: string;
  /** Bytes of its value. */
  readonly size: number;
  readonly version: string;
  readonly expiresAt?: number;
}

export interface KvPage {
  readonly items: readonly KvItem[];
  /** Where the next page begins; `null` after the last one. */
  readonly cursor: string | null;
}

/** What must hold for a write to happen (atomic compare-and-set). */
export type KvCondition =
  | { readonly type: "absent" }
  | { readonly type: "version"; readonly version: string };

export interface SetOptions {
  readonly contentType: string;
  readonly ttlSeconds?: number | undefined;
  readonly condition?: KvCondition | undefined;
}

/** `conflict`: the condition did not hold. `full`: the namespace has no room for it. */
export type SetResult =
  | { readonly type: "set"; readonly version: string }
  | { readonly type: "conflict" }
  | { readonly type: "full"; readonly message: string };
