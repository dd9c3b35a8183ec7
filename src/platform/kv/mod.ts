/**
 * Key-value stores of projects, for the code of their servers.
 *
 * @module
 */
export { createKv, type KvAccess, type KvOwner, type ProjectKv } from "./create_kv.ts";
