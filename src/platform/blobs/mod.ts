/**
 * Projects' blob stores: S3, and features based on it.
 *
 * @module
 */
export { AccessKeys } from "./access_keys.ts";
export { objectBlobs } from "./object_record.ts";
export { ObjectStore } from "./object_store.ts";
export { BlobStoreError } from "./store_error.ts";
export { BLOBS_ORIGIN, outboundToBlobs } from "./outbound_blobs.ts";
export {
  createBlobs,
  isS3Path,
  type ProjectBlobs,
  S3_PATH,
  withBlobVariables,
} from "./create_blobs.ts";
