/** The store: records in Deno KV, blobs in files, and the data directory of both. @module */
export {
  BlobDamagedError,
  type BlobFile,
  BlobMismatchError,
  type BlobStore,
  BlobTooLargeError,
  type BlobVault,
  type ByteRange,
  type LookOptions,
  type StoredBlob,
} from "./blob_store.ts";
export { openBlobFile, streamFile } from "./blob_file.ts";
export { checkWhole, DataIncompleteError } from "./check_whole.ts";
export {
  type DataDir,
  DataDirInUseError,
  DataDirUnusableError,
  isServed,
  lockIfDataDir,
  openDataDir,
} from "./data_dir.ts";
export { DamagedRecordError } from "./damaged_record.ts";
export { countBelow, deleteKeys, keysBelow } from "./delete_keys.ts";
export { DiskCache } from "./disk_cache.ts";
export { blobPath, FsBlobStore } from "./fs_blob_store.ts";
export { openFsBlobVault, prepareIncoming } from "./fs_blob_vault.ts";
export { isFullDisk } from "./full_disk.ts";
export { keys } from "./keys.ts";
export {
  isRemoteStore,
  openKv,
  openPlatformKv,
  placeName,
  StoreUnusableError,
  unusable,
} from "./open_kv.ts";
export { openPg, wrapPg } from "./open_pg_kv.ts";
export { ENCODING } from "./mend_file.ts";
export { markPortable, PortableStore } from "./portable_store.ts";
export { checksumOf, decodeValue, encodePortable } from "./portable_values.ts";
export { StoreReadOnlyError } from "./read_only_store.ts";
export {
  type Committed,
  commitVersioned,
  commitWithRetries,
  ContentionError,
  type Page,
  pageOf,
  type PageRange,
  readAll,
  readPage,
  readRecord,
  type Versioned,
} from "./records.ts";
export { RecordType } from "./record_type.ts";
export { Table } from "./table.ts";
export { hasDamagedRecords, nameOf } from "./set_aside.ts";
export { StoreBusyError } from "./store_busy.ts";
export { type ChangeFollower, StoreUnavailableError } from "../../../store/mod.ts";
