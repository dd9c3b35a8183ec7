/**
 * The key-value store of a project on this computer.
 *
 * @module
 */
export {
  DEFAULT_LOCAL_DATA_DIR,
  type LocalKv,
  LocalKvError,
  openLocalKv,
} from "./open_local_kv.ts";
