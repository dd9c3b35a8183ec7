/** @module The manifest's `blobs`: the objects from the blob store that the site serves. */
import * as z from "zod";

const MAX_PUBLIC_PREFIXES = 100;
/** The initial data of a non-production environment at its first deployment. */
const BLOB_PREVIEWS = ["empty", "copy"] as const;

const PREFIXES_RULE = `Use a list of at most ${MAX_PUBLIC_PREFIXES} key prefixes`;

export const blobsSchema = z.strictObject({
  public: z.array(z.string(PREFIXES_RULE).max(1024, PREFIXES_RULE), PREFIXES_RULE)
    .max(MAX_PUBLIC_PREFIXES, PREFIXES_RULE).optional().describe(
      "Key prefixes of objects that anyone can read at /_svc/blobs/<key>. Default: none.",
    ),
  preview: z.enum(BLOB_PREVIEWS, 'Use "empty" or "copy"').optional().describe(
    "Whether stores of other environments start empty or as a copy of production's. Default: " +
      "empty.",
  ),
}, "Use a table");
export type BlobSettings = Readonly<z.infer<typeof blobsSchema>>;
