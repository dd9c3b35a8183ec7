/** Blobs: the content of files and functions, identified by its hash. @module */
import * as z from "zod";
import { uuid } from "./common.ts";
import { MAX_FILE_BYTES, sha256 } from "./deployment_files.ts";
import { endpoint } from "./endpoint.ts";

/** Maximum body size of a batch of blobs, in bytes. Larger blobs are uploaded separately. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** Maximum number of blobs in one batch. */
export const MAX_BATCH_BLOBS = 500;
/**
 * Maximum size of multipart framing in a batch: the boundaries and the header fields of each part.
 */
const MAX_BATCH_OVERHEAD_BYTES = MAX_BATCH_BLOBS * 512;
const blobReceipt = z.object({
  stored: z.array(sha256).meta({
    description: "SHA-256 of each stored blob",
    example: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  }),
});

const blobQuery = z.object({
  deployment: uuid.optional().describe(
    "Deployment that the blobs are for. Each blob keeps the deployment's upload open",
  ),
});

export const putBlob = endpoint({
  method: "PUT",
  path: "/v1/blobs/{sha256}",
  summary: "Upload one blob. Refused if the content does not match its hash",
  tag: "Blobs",
  params: z.object({
    sha256: sha256.meta({
      description: "SHA-256 of the content, in hexadecimal",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
  }),
  query: blobQuery,
  body: z.unknown().meta({ example: "test" }),
  bodyKind: "octets",
  maxBodyBytes: MAX_FILE_BYTES,
  response: blobReceipt,
});

export const postBlobs = endpoint({
  method: "POST",
  path: "/v1/blobs",
  summary: "Upload many small blobs as multipart/form-data, each part named by its SHA-256",
  tag: "Blobs",
  query: blobQuery,
  body: z.unknown().meta({
    example: { "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08": "test" },
  }),
  bodyKind: "multipart",
  maxBodyBytes: MAX_BATCH_BYTES + MAX_BATCH_OVERHEAD_BYTES,
  response: blobReceipt,
});
