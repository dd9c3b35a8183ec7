/**
 * An ordered key-value store in PostgreSQL, behind the interface of Deno KV, which
 * several machines share.
 *
 * @module
 */
export { type ChangeFollower, type ChangeHandlers } from "./change_follower.ts";
export { decodeKey, encodeKey } from "./key_encoding.ts";
export { inspectStore, type StoreFacts } from "./inspect_store.ts";
export { migrateSchema, StoreNewerError } from "./migrate_schema.ts";
export { openPgStore, type PgStore, startTidying, tidyStore } from "./open_store.ts";
export { type Patience } from "./patience.ts";
export { type PgKv } from "./pg_kv.ts";
export { type PgOperation } from "./pg_operation.ts";
export { raiseVersion, readVersion } from "./last_version.ts";
export { readRecords, type StoredRecord } from "./read_records.ts";
export { SCHEMA, type SchemaMigration } from "./schema.ts";
export {
  type AddressSources,
  describeStoreUrl,
  isStoreUrl,
  parseStoreUrl,
  type StoreAddress,
  StoreAddressError,
} from "./store_address.ts";
export { describeFault, StoreUnavailableError } from "./server_fault.ts";
