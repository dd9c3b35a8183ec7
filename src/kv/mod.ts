/** @module Key-value stores for users' code: the store over Deno KV, and its HTTP API. */
export { createKvHandler } from "./handle_request.ts";
export { createKvFetch, type KvFetch } from "./kv_fetch.ts";
export { KvStore } from "./kv_store.ts";
export {
  DEFAULT_LOCAL_DATA_DIR,
  type LocalKv,
  LocalKvError,
  openLocalKv,
} from "./local/open_local_kv.ts";
export type { KvItem, KvValue, Namespace } from "./types.ts";
