/**
 * The stores that S3 requests read and change.
 *
 * @module
 */
import type { ObjectStore } from "../object_store.ts";
import type { UploadStore } from "../upload_store.ts";

export interface S3Stores {
  readonly objects: ObjectStore;
  readonly uploads: UploadStore;
}
