/**
 * Requests for multipart uploads.
 *
 * @module
 */
import type { ByteRange } from "../../core/store/mod.ts";
import { encodeUri } from "./signature.ts";
import { MAX_LIST, MAX_PARTS } from "../limits.ts";
import type { Content } from "../object_store.ts";
import type { BlobPlace } from "../object_record.ts";
import { BlobStoreError, hasCode } from "../store_error.ts";
import { dateOf, xml } from "./bucket_requests.ts";
import { addChecksums, describedBy, quoted, writeCondition } from "./object_fields.ts";
import { copySource, mostBytes, refuseOtherType } from "./object_requests.ts";
import type { SignedCall } from "./signed_call.ts";
import type { S3Stores } from "./stores.ts";
import { keyWriter, parseCompletion } from "./xml.ts";

/** Implements `CreateMultipartUpload`. */
export async function startUpload(
  { uploads }: S3Stores,
  place: BlobPlace,
  { headers, bucket, objectKey, query }: SignedCall,
): Promise<Response> {
  refuseOtherType({ query, headers });
  const upload = await uploads.start(place, objectKey, describedBy(headers, objectKey));
  return xml("InitiateMultipartUploadResult", {
    Bucket: bucket,
    Key: objectKey,
    UploadId: upload.id,
  });
}

function numberOf({ query }: SignedCall): number {
  const number = Number(query.get("partNumber"));
  if (Number.isInteger(number) && number >= 1 && number <= MAX_PARTS) return number;
  throw new BlobStoreError("InvalidArgument", `The part number must be from 1 to ${MAX_PARTS}`);
}

const uploadOf = ({ uploads }: S3Stores, place: BlobPlace, { query, objectKey }: SignedCall) =>
  uploads.get(place, objectKey, query.get("uploadId") ?? "");

/** Implements `UploadPart`. */
export async function uploadPart(
  stores: S3Stores,
  place: BlobPlace,
  call: SignedCall,
): Promise<Response> {
  const number = numberOf(call);
  const upload = await uploadOf(stores, place, call);
  const part = await stores.uploads.addPart(upload, number, {
    content: call.content(),
    maxBytes: mostBytes(call),
  });
  const fields = new Headers({ etag: quoted(part.etag) });
  addChecksums(fields, part);
  return new Response(null, { headers: fields });
}

/**
 * Returns the range of the source to copy. Unlike a range in `GetObject`, this range must be within
 * the object.
 */
function sourceRange(field: string | null, size: number): ByteRange | undefined {
  if (field === null) return undefined;
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(field) ?? [];
  const range = { start: Number(first), end: Number(last) };
  if (first === undefined || range.start > range.end) {
    throw new BlobStoreError(
      "InvalidArgument",
      "x-amz-copy-source-range must look like bytes=0-99, with the first and the last byte",
    );
  }
  if (range.end < size) return range;
  throw new BlobStoreError("InvalidRange", `The source has ${size} bytes`);
}

/** Implements `UploadPartCopy`. */
export async function copyPart(
  stores: S3Stores,
  place: BlobPlace,
  call: SignedCall,
): Promise<Response> {
  const number = numberOf(call);
  const upload = await uploadOf(stores, place, call);
  const source = await copySource(stores, place, call);
  const range = sourceRange(call.headers.get("x-amz-copy-source-range"), source.size);
  await stores.objects.requireSound(source);
  const body = await stores.objects.open(source, range);
  const content: Content = {
    stream: body instanceof Uint8Array ? new Blob([body]).stream() : body,
    size: range === undefined ? source.size : range.end - range.start + 1,
    algorithms: [],
    expected: () => new Map(),
  };
  const part = await stores.uploads.addPart(upload, number, { content });
  return xml("CopyPartResult", {
    ETag: quoted(part.etag),
    LastModified: dateOf(part.modifiedAt),
  });
}

/** Implements `CompleteMultipartUpload`. */
export async function completeUpload(
  stores: S3Stores,
  place: BlobPlace,
  call: SignedCall,
): Promise<Response> {
  const { bucket, objectKey, headers } = call;
  const named = parseCompletion(await call.text());
  const object = await uploadOf(stores, place, call)
    .then((upload) => stores.uploads.complete(upload, named, writeCondition(headers)))
    .catch((error) => {
      if (!hasCode(error, "NoSuchUpload")) throw error;
      return stores.uploads.completed(place, objectKey, named);
    });
  return xml("CompleteMultipartUploadResult", {
    Location: `/${bucket}/${objectKey.split("/").map(encodeUri).join("/")}`,
    Bucket: bucket,
    Key: objectKey,
    ETag: quoted(object.etag),
  });
}

/** Implements `AbortMultipartUpload`. */
export async function abortUpload(
  stores: S3Stores,
  place: BlobPlace,
  call: SignedCall,
): Promise<Response> {
  await stores.uploads.abort(await uploadOf(stores, place, call));
  return new Response(null, { status: 204 });
}

/** Implements `ListParts`. */
export async function listParts(
  stores: S3Stores,
  place: BlobPlace,
  call: SignedCall,
): Promise<Response> {
  const { bucket, objectKey, query } = call;
  const upload = await uploadOf(stores, place, call);
  const after = Number(query.get("part-number-marker") ?? 0);
  const limit = Math.min(Number(query.get("max-parts") ?? MAX_LIST), MAX_LIST);
  if (!Number.isInteger(after) || !Number.isInteger(limit) || limit < 0) {
    throw new BlobStoreError("InvalidArgument", "The marker and the limit must be whole numbers");
  }
  const rest = (await stores.uploads.partsOf(upload)).filter(({ number }) => number > after);
  const page = rest.slice(0, limit);
  const isTruncated = limit > 0 && rest.length > page.length;
  return xml("ListPartsResult", {
    Bucket: bucket,
    Key: keyWriter(query.get("encoding-type"))(objectKey),
    UploadId: upload.id,
    PartNumberMarker: after,
    MaxParts: limit,
    IsTruncated: isTruncated,
    ...(isTruncated ? { NextPartNumberMarker: page.at(-1)!.number } : {}),
    Part: page.map(({ number, etag, size, modifiedAt }) => ({
      PartNumber: number,
      ETag: quoted(etag),
      Size: size,
      LastModified: dateOf(modifiedAt),
    })),
  });
}
