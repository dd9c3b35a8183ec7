/**
 * Requests for one object: read, write, copy and delete.
 *
 * @module
 */
import { MAX_OBJECT_BYTES } from "../../../contract/blob_store.ts";
import type { BlobPlace, ObjectRecord } from "../object_record.ts";
import { BlobStoreError } from "../store_error.ts";
import { dateOf, xml } from "./bucket_requests.ts";
import {
  addChecksums,
  describedBy,
  fieldsOf,
  isKnown,
  quoted,
  rangeOf,
  refuseVersion,
  writeCondition,
} from "./object_fields.ts";
import type { SignedCall } from "./signed_call.ts";
import type { S3Stores } from "./stores.ts";

/**
 * Removes the checksums of the whole object, because clients would compare them with a partial
 * body.
 */
function dropChecksums(fields: Headers): void {
  for (const name of [...fields.keys()]) {
    if (name.startsWith("x-amz-checksum-")) fields.delete(name);
  }
}

/** Implements `GetObject` and `HeadObject`. */
export async function readObject(
  { objects }: Pick<S3Stores, "objects">,
  object: ObjectRecord,
  call: Pick<SignedCall, "method" | "query"> & {
    readonly headers: { get(name: string): string | null };
  },
): Promise<Response> {
  const { headers, method } = call;
  const fields = fieldsOf(object, call);
  if (isKnown(object, headers)) {
    fields.delete("content-type");
    dropChecksums(fields);
    return new Response(null, { status: 304, headers: fields });
  }
  const ifRange = headers.get("if-range");
  const range = ifRange === null || ifRange === quoted(object.etag)
    ? rangeOf(headers.get("range"), object.size)
    : undefined;
  const length = range === undefined ? object.size : range.end - range.start + 1;
  fields.set("content-length", String(length));
  if (range !== undefined) {
    fields.set("content-range", `bytes ${range.start}-${range.end}/${object.size}`);
    dropChecksums(fields);
  }
  const body = method === "HEAD" || length === 0 ? null : await objects.open(object, range);
  return new Response(body, { status: range === undefined ? 200 : 206, headers: fields });
}

/** Allows no comma, because browsers split a field at commas and use the last type. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;[^,]*)?$/;

/** @throws {BlobStoreError} for a type that the signed URL does not allow. */
export function refuseOtherType({ query, headers }: Pick<SignedCall, "query" | "headers">): void {
  const type = query.get("x-svc-content-type")?.toLowerCase();
  if (type === undefined) return;
  const field = headers.get("content-type") ?? "";
  const given = field.split(";")[0]!.trim().toLowerCase();
  const isAllowed = type.endsWith("/*") ? given.startsWith(type.slice(0, -1)) : given === type;
  if (isAllowed && MEDIA_TYPE.test(field)) return;
  throw new BlobStoreError("AccessDenied", `Upload content of type ${type}`);
}

/** Returns the maximum size that the signed URL allows, in bytes. */
export function mostBytes({ query }: Pick<SignedCall, "query">): number {
  const most = query.get("x-svc-max-bytes");
  if (most === undefined) return MAX_OBJECT_BYTES;
  if (/^\d{1,15}$/.test(most)) return Math.min(Number(most), MAX_OBJECT_BYTES);
  throw new BlobStoreError("InvalidArgument", "x-svc-max-bytes must be a number of bytes");
}

/** Implements `PutObject`. */
export async function putObject(
  { objects }: S3Stores,
  place: BlobPlace,
  call: SignedCall,
): Promise<Response> {
  const { headers, objectKey } = call;
  refuseOtherType(call);
  const object = await objects.put(place, objectKey, {
    content: call.content(),
    described: describedBy(headers, objectKey),
    condition: writeCondition(headers),
    maxBytes: mostBytes(call),
  });
  const fields = new Headers({ etag: quoted(object.etag) });
  addChecksums(fields, object);
  return new Response(null, { headers: fields });
}

/** Returns the source object in `x-amz-copy-source`. */
export async function copySource(
  { objects }: S3Stores,
  place: BlobPlace,
  { headers, bucket }: SignedCall,
): Promise<ObjectRecord> {
  const [given = "", query] = (headers.get("x-amz-copy-source") ?? "").replace(/^\//, "").split(
    "?",
  );
  refuseVersion(new URLSearchParams(query).get("versionId"));
  let parts: string[];
  try {
    parts = given.split("/").map(decodeURIComponent);
  } catch {
    throw new BlobStoreError("InvalidArgument", "x-amz-copy-source has an invalid escape");
  }
  const [name, ...rest] = parts;
  if (name !== bucket) throw new BlobStoreError("NoSuchBucket", "The source is in another bucket");
  const source = await objects.get(place, rest.join("/"));
  if (isKnown(source, headers, "x-amz-copy-source-")) {
    throw new BlobStoreError("PreconditionFailed", "The source does not meet the condition");
  }
  return source;
}

/** Implements `CopyObject`. */
export async function copyObject(
  stores: S3Stores,
  place: BlobPlace,
  call: SignedCall,
): Promise<Response> {
  const { headers, objectKey } = call;
  const source = await copySource(stores, place, call);
  const isNew = headers.get("x-amz-metadata-directive")?.toUpperCase() === "REPLACE";
  if (!isNew && source.key === objectKey) {
    throw new BlobStoreError("InvalidRequest", "Copying an object to itself changes nothing");
  }
  const copy = await stores.objects.copy(source, place, objectKey, {
    described: isNew ? describedBy(headers, objectKey) : undefined,
    condition: writeCondition(headers),
  });
  return xml("CopyObjectResult", {
    ETag: quoted(copy.etag),
    LastModified: dateOf(copy.modifiedAt),
  });
}
