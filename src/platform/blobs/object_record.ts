/**
 * Records of objects and uploads in blob stores. The bytes are blobs of the workspace, so identical
 * content is stored only once.
 *
 * @module
 */
import * as z from "zod";
import type { RecordStore } from "../../store/mod.ts";
import { keys, RecordType } from "../core/store/mod.ts";

/** One environment's store. */
export interface BlobPlace {
  readonly workspaceId: string;
  readonly projectId: string;
  /** Name of the environment. */
  readonly environment: string;
}

const place = { workspaceId: z.string(), projectId: z.string(), environment: z.string() };

/** Headers that a client sends with an object, and that responses repeat. */
const described = {
  contentType: z.string(),
  /** Other response headers, such as `cache-control`, by lowercase name. */
  fields: z.record(z.string(), z.string()),
  /** Values of `x-amz-meta-…` headers, by the part of the name after this prefix. */
  metadata: z.record(z.string(), z.string()),
};

/** Checksums by algorithm, such as `crc32`, in base64. */
const checksums = z.record(z.string(), z.string());

export const objectRecord = z.object({
  ...place,
  ...described,
  key: z.string(),
  sha256: z.string(),
  size: z.int(),
  /** Without quotes. */
  etag: z.string(),
  checksums,
  /** Milliseconds since the epoch. */
  modifiedAt: z.number(),
});
export type ObjectRecord = z.infer<typeof objectRecord>;
export type Described = Pick<ObjectRecord, "contentType" | "fields" | "metadata">;

export const objects = new RecordType({
  root: keys.allBlobObjects(),
  schema: objectRecord,
  parts: ({ projectId, environment, key }) => [projectId, environment, key],
});

const uploadRecord = z.object({
  ...place,
  ...described,
  id: z.string(),
  key: z.string(),
  startedAt: z.number(),
});
export type UploadRecord = z.infer<typeof uploadRecord>;

export const uploads = new RecordType({
  root: keys.allBlobUploads(),
  schema: uploadRecord,
  parts: ({ projectId, environment, id }) => [projectId, environment, id],
});

const partRecord = z.object({
  ...place,
  uploadId: z.string(),
  number: z.int(),
  sha256: z.string(),
  size: z.int(),
  etag: z.string(),
  checksums,
  modifiedAt: z.number(),
});
export type PartRecord = z.infer<typeof partRecord>;

export const parts = new RecordType({
  root: keys.allBlobParts(),
  schema: partRecord,
  parts: ({ projectId, environment, uploadId, number }) => [
    projectId,
    environment,
    uploadId,
    number,
  ],
});

/** Yields the blobs that objects and unfinished uploads need. */
export async function* objectBlobs(
  kv: RecordStore,
): AsyncGenerator<Pick<ObjectRecord, "workspaceId" | "projectId" | "sha256">> {
  for (const { root, schema } of [objects, parts]) {
    for await (const { value } of kv.list({ prefix: root }, { batchSize: 500 })) {
      yield schema.parse(value);
    }
  }
}
