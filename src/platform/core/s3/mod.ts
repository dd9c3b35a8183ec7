/** Blobs in object storage (S3 and compatible), for platforms with several nodes. @module */
export { type CachedVault, openS3BlobVault } from "./s3_blob_vault.ts";
export { type BlobObject, listObjects } from "./list_objects.ts";
export { objectKey } from "./s3_blob_store.ts";
export { type OpenBucket, openS3Bucket } from "./open_bucket.ts";
export { ProbeError, probeStorage } from "./probe_storage.ts";
export { S3CredentialsError } from "./s3_credentials.ts";
export { describeS3Place, parseS3Place, S3PlaceError } from "./s3_place.ts";
