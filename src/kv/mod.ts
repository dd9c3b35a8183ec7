/**
 * Key-value stores for the code of users: the store over Deno KV, and its HTTP API.
 *
 * @module
 */
export { createKvHandler, type KvHandlerOptions } from "./handle_request.ts";
export { createKvFetch, type KvFetch } from "./kv_fetch.ts";
export { KvStore, type KvStoreOptions } from "./kv_store.ts";
export {
  DEFAULT_QUOTA,
  fitsKey,
  type KvQuota,
  MAX_KEY_BYTES,
  MAX_LIST_LIMIT,
  MAX_TTL_SECONDS,
  MAX_VALUE_BYTES,
} from "./limits.ts";
export {
  DEFAULT_LOCAL_DATA_DIR,
  type LocalKv,
  LocalKvError,
  openLocalKv,
} from "./local/open_local_kv.ts";
export type { KvCondition, KvItem, KvPage, KvValue, Namespace } from "./types.ts";
