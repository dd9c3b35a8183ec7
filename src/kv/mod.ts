/**
 * Key-value stores for the code of users: the store over Deno KV, and its HTTP API.
 *
 * @module
 */
export { createKvHandler, type KvHandlerOptions } from "./handle_request.ts";
export { KvStore, type KvStoreOptions } from "./kv_store.ts";
export { DEFAULT_QUOTA, type KvQuota } from "./limits.ts";
export type { KvCondition, KvItem, KvPage, KvValue, Namespace } from "./types.ts";
