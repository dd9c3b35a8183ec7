/**
 * Record stores: the interface, and its implementations in Deno KV and PostgreSQL. Several machines
 * can share a PostgreSQL store.
 *
 * @module
 */
export { type ChangeFollower } from "./change_follower.ts";
export { decodeKey, encodeKey } from "./key_encoding.ts";
export { inspectStore, type StoreFacts } from "./inspect_store.ts";
export { migrateSchema, StoreNewerError } from "./migrate_schema.ts";
export {
  openPgStore,
  type PgStore,
  raiseVersion,
  readVersion,
  startTidying,
  tidyStore,
} from "./open_store.ts";
export { type Patience } from "./patience.ts";
export { DenoStore } from "./deno_store.ts";
export { type Failed, type PgRecordStore } from "./pg_record_store.ts";
export {
  Lease,
  type LeasedOperation,
  type LeasedStore,
  LeaseLostError,
  type Led,
} from "./lease.ts";
export { type Operation, RecordStore, StoreLayer } from "./record_store.ts";
export type {
  Changes,
  Check,
  Draft,
  Entry,
  KeyPart,
  Listing,
  ListOptions,
  ListSelector,
  MaybeEntry,
  Mutation,
  Outcome,
  RecordKey,
  RecordReader,
  SetOptions,
  Stored,
} from "./record_types.ts";
export { readRecords, withRecordsOfMoment } from "./read_records.ts";
export { SCHEMA } from "./schema.ts";
export {
  describeStoreUrl,
  isStoreUrl,
  parseStoreUrl,
  type StoreAddress,
  StoreAddressError,
} from "./store_address.ts";
export { describeFault, StoreUnavailableError } from "./server_fault.ts";
