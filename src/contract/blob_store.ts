/**
 * The blob stores of projects, one for each environment. Code accesses its own store through the S3
 * protocol (docs/blobs.md). The API lists, copies and deletes objects, and signs URLs.
 *
 * @module
 */
import * as z from "zod";
import { pageLimit, timestamp } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { ENVIRONMENT_PRODUCTION } from "./environment_names.ts";
import { environmentReference } from "./environments.ts";
import { projectParams } from "./projects.ts";

/** Maximum length of an object's key in UTF-8 bytes, as in S3. */
export const MAX_KEY_BYTES = 1024;
const LIST_MAX = 1000;
const LIST_DEFAULT = 100;
/** Maximum size of an object, in bytes, including multipart uploads. */
export const MAX_OBJECT_BYTES = 5 * 1024 ** 3;
/** Maximum and default lifetime of a signed URL in seconds. The maximum is the same as in S3. */
export const MAX_SIGNED_SECONDS = 7 * 24 * 60 * 60;
export const DEFAULT_SIGNED_SECONDS = 60 * 60;
const MAX_NAME_LENGTH = 60;

/** Returns whether a key or key prefix is short enough, without NUL and lone surrogates. */
export const fitsObjectKey = (text: string): boolean =>
  text.isWellFormed() && !text.includes("\0") &&
  new TextEncoder().encode(text).byteLength <= MAX_KEY_BYTES;
const prefix = z.string().max(MAX_KEY_BYTES).refine(
  fitsObjectKey,
  `Must be well-formed text of at most ${MAX_KEY_BYTES} bytes`,
);
/** Returns whether a key has a `.` or `..` segment, which HTTP clients remove from URLs. */
export const hasDotSegment = (key: string): boolean => /(?:^|\/)\.{1,2}(?:\/|$)/.test(key);
const key = prefix.min(1, "Must not be empty").refine(
  (text) => !hasDotSegment(text),
  "Use a key without the segments . and .., which HTTP clients remove from URLs",
);
const environment = environmentReference.default(ENVIRONMENT_PRODUCTION).describe(
  "Name or ID of the environment",
);
const objectKey = key.meta({ description: "Key of the object", example: "photos/kestrel.jpg" });

const blobObject = z.object({
  key: z.string().meta({ description: "Key of the object", example: "photos/kestrel.jpg" }),
  size: z.int().nonnegative().describe("Size of the object in bytes").meta({ example: 48213 }),
  etag: z.string().meta({
    description: "ETag: the MD5 of the content, or of its parts if it was uploaded in parts",
    example: "9e107d9d372bb6826bd81d3542a419d6",
  }),
  contentType: z.string().describe("Media type of the object").meta({ example: "image/jpeg" }),
  modifiedAt: timestamp.describe("When the object was written"),
}).meta({ id: "BlobObject" });
export type BlobObject = z.infer<typeof blobObject>;

const blobKey = z.object({
  id: z.string().meta({ description: "Access key ID", example: "SVCKABCDEFGHIJKLMNOP" }),
  name: z.string().describe("Name of the key").meta({ example: "backup laptop" }),
  environment: z.string().describe("Environment of the store that the key opens").meta({
    example: ENVIRONMENT_PRODUCTION,
  }),
  isReadOnly: z.boolean().describe("Whether the key can only read"),
  isPlatform: z.boolean().describe(
    "Whether it is the key that the platform gives to servers and functions, and uses to sign URLs",
  ),
  createdAt: timestamp.describe("When the key was created"),
}).meta({ id: "BlobKey" });
export type BlobKey = z.infer<typeof blobKey>;

const path = "/v1/projects/{project}/blobs";
const tag = "Blob store";

export const listBlobs = endpoint({
  method: "GET",
  path,
  summary: "List the objects in a project's blob store, in byte order of their keys",
  access: "developer",
  tag,
  params: projectParams,
  query: z.object({
    environment,
    prefix: prefix.default("").describe("Only keys with this prefix"),
    delimiter: z.string().max(16).optional().meta({
      description: "Groups keys that have this text after the prefix, such as / for folders",
      example: "/",
    }),
    limit: pageLimit(LIST_MAX, LIST_DEFAULT).meta({
      description: "Maximum number of objects and folders",
      example: 20,
    }),
    cursor: key.optional().meta({
      description: "`nextCursor` of the previous page: its last key or folder",
      example: "photos/kestrel.jpg",
    }),
  }),
  response: z.object({
    items: z.array(blobObject).describe("Objects on the page"),
    folders: z.array(z.string()).describe(
      "Distinct prefixes of keys, up to and including the delimiter",
    ),
    nextCursor: z.string().nullable().describe("`cursor` of the next page; null on the last page"),
    usage: z.object({
      objects: z.int().nonnegative().describe("Objects in the store"),
      bytes: z.int().nonnegative().describe(
        "Bytes in the store, including parts of unfinished uploads",
      ),
      projectBytes: z.int().nonnegative().describe("Bytes in all stores of the project"),
      quotaBytes: z.int().positive().describe(
        "Maximum number of bytes in all stores of the project",
      ),
    }).describe("Usage of the whole store, regardless of the prefix"),
  }),
});

export const deleteBlob = endpoint({
  method: "DELETE",
  path: `${path}/object`,
  summary: "Delete an object from a project's blob store. Succeeds even if the key does not exist",
  tag,
  params: projectParams,
  query: z.object({ environment, key: objectKey }),
  status: 204,
});

export const copyBlob = endpoint({
  method: "POST",
  path: `${path}/copy`,
  summary: "Copy an object within a project's blob stores. The copy shares the content",
  tag,
  params: projectParams,
  body: z.object({
    environment,
    key: objectKey,
    to: key.meta({ description: "Key of the copy", example: "photos/kestrel-2.jpg" }),
    toEnvironment: environmentReference.optional().describe(
      "Environment of the copy; the object's environment when omitted",
    ),
  }).strict(),
  response: blobObject,
});

export const SIGNED_METHODS = ["GET", "PUT"] as const;

export const signBlob = endpoint({
  method: "POST",
  path: `${path}/sign`,
  summary: "Sign a URL that downloads or uploads one object without another credential",
  tag,
  params: projectParams,
  body: z.object({
    environment,
    key: objectKey,
    method: z.enum(SIGNED_METHODS).default("GET").describe(
      "Method of the URL: GET downloads, PUT uploads",
    ),
    expiresIn: z.int().min(1).max(MAX_SIGNED_SECONDS).default(DEFAULT_SIGNED_SECONDS).describe(
      "Seconds until the URL expires",
    ),
    maxBytes: z.int().min(0).max(MAX_OBJECT_BYTES).optional().describe(
      "Maximum size of the upload, in bytes",
    ),
    contentType: z.string().max(128).regex(
      /^[a-z0-9.+-]+\/(?:\*|[a-z0-9.+-]+)$/,
      "Must be a media type such as image/png or image/*",
    ).optional().meta({
      description: "Media type of the upload, such as image/png or image/*",
      example: "image/*",
    }),
  }).strict(),
  response: z.object({
    url: z.url().meta({
      description: "Signed URL",
      example: "https://svc.example/s3/production/photos/kestrel.jpg?X-Amz-Signature=0123",
    }),
    method: z.enum(SIGNED_METHODS).describe("Method of the URL"),
    expiresAt: timestamp.describe("When the URL stops working"),
  }),
});

export const createBlobKey = endpoint({
  method: "POST",
  path: `${path}/credentials`,
  summary: "Create an S3 access key for the blob store of one environment",
  tag,
  params: projectParams,
  body: z.object({
    environment,
    name: z.string().trim().min(1).max(MAX_NAME_LENGTH).describe("Name of the key").meta({
      example: "backup laptop",
    }),
    isReadOnly: z.boolean().default(false).describe("Whether the key can only read"),
  }).strict(),
  response: blobKey.extend({
    secret: z.string().describe("Secret access key; shown only once").meta({
      example: "GEZDGNBVGY3TQ",
    }),
    endpoint: z.url().describe("Endpoint of S3").meta({ example: "https://svc.example/s3" }),
    bucket: z.string().describe("Bucket: the name of the environment").meta({
      example: ENVIRONMENT_PRODUCTION,
    }),
    region: z.string().describe("Region").meta({ example: "auto" }),
  }),
  status: 201,
});

export const listBlobKeys = endpoint({
  method: "GET",
  path: `${path}/credentials`,
  summary: "List the S3 access keys of a project's blob stores",
  access: "developer",
  tag,
  params: projectParams,
  response: z.object({ items: z.array(blobKey).describe("All keys, oldest first") }),
});

export const deleteBlobKey = endpoint({
  method: "DELETE",
  path: `${path}/credentials/{credential}`,
  summary:
    "Revoke an S3 access key. The platform replaces its own key if you revoke it, and signed URLs stop working",
  tag,
  params: projectParams.extend({
    credential: z.string().max(64).meta({
      description: "Access key ID",
      example: "SVCKABCDEFGHIJKLMNOP",
    }),
  }),
  status: 204,
});
