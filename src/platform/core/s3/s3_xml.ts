/** Reads XML responses from object storage. @module */
import { XMLParser } from "fast-xml-parser";
import * as z from "zod";

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  processEntities: { enabled: true, maxTotalExpansions: 1_000_000 },
  isArray: (name) => name === "Contents",
});

const errorSchema = z.object({
  Error: z.object({ Code: z.string().catch(""), Message: z.string().catch("") }),
});

const uploadSchema = z.object({
  InitiateMultipartUploadResult: z.object({ UploadId: z.string().min(1).max(4096) }),
});

const listSchema = z.object({
  ListBucketResult: z.object({
    IsTruncated: z.string().optional(),
    NextContinuationToken: z.string().optional(),
    Contents: z.array(z.object({
      Key: z.string(),
      Size: z.string().regex(/^\d{1,15}$/).transform(Number),
      LastModified: z.string().transform((text) => Date.parse(text)),
    })).default([]),
  }),
});

/** Returns an error's code and message; empty strings if the text does not contain them. */
export function parseError(text: string): { readonly code: string; readonly message: string } {
  try {
    const { Error: { Code: code, Message: message } } = errorSchema.parse(parser.parse(text));
    return { code, message };
  } catch {
    return { code: "", message: "" };
  }
}

/** Returns the ID of a multipart upload that was started. */
export function parseUploadId(text: string): string {
  return uploadSchema.parse(parser.parse(text)).InitiateMultipartUploadResult.UploadId;
}

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  /** When the object was written, according to the storage's clock, in milliseconds since 1970. */
  readonly writtenAt: number;
}

export interface ListPage {
  readonly objects: readonly ListedObject[];
  /** The start of the next page; `undefined` after the last. */
  readonly next: string | undefined;
}

export function parseList(text: string): ListPage {
  const { ListBucketResult: list } = listSchema.parse(parser.parse(text));
  return {
    objects: list.Contents.map(({ Key: key, Size: size, LastModified: writtenAt }) => ({
      key,
      size,
      writtenAt,
    })),
    next: list.IsTruncated === "true" ? list.NextContinuationToken : undefined,
  };
}

export function completionBody(etags: readonly string[]): string {
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const parts = etags.map((etag, index) =>
    `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escape(etag)}</ETag></Part>`
  );
  return `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
}
