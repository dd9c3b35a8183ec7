/**
 * Requests for the bucket: lists, and deletion of multiple objects.
 *
 * @module
 */
import pMap from "p-map";
import { MAX_KEY_BYTES } from "../../../contract/blob_store.ts";
import { MAX_LIST } from "../limits.ts";
import type { ObjectPage } from "../list_objects.ts";
import type { BlobPlace, ObjectRecord } from "../object_record.ts";
import { BlobStoreError } from "../store_error.ts";
import { quoted } from "./object_fields.ts";
import type { SignedCall } from "./signed_call.ts";
import type { S3Stores } from "./stores.ts";
import { type Elements, keyWriter, parseDeletion, xmlOf } from "./xml.ts";

/** Number of objects that a request deletes in parallel. */
const PARALLEL = 16;

export const dateOf = (time: number): string => new Date(time).toISOString();

export const xml = (root: string, children: Elements): Response =>
  new Response(xmlOf(root, children), { headers: { "content-type": "application/xml" } });

export function listBuckets(place: BlobPlace): Response {
  return xml("ListAllMyBucketsResult", {
    Owner: { ID: place.projectId, DisplayName: place.projectId },
    Buckets: { Bucket: { Name: place.environment, CreationDate: dateOf(0) } },
  });
}

function limitOf(query: ReadonlyMap<string, string>, name: string): number {
  const given = query.get(name);
  if (given === undefined || given === "") return MAX_LIST;
  if (/^\d{1,9}$/.test(given)) return Math.min(Number(given), MAX_LIST);
  throw new BlobStoreError("InvalidArgument", `${name} must be a whole number`);
}

/** @throws {BlobStoreError} for a string longer than any key. */
function refuseLong(text: string): void {
  if (new TextEncoder().encode(text).byteLength <= MAX_KEY_BYTES) return;
  throw new BlobStoreError(
    "KeyTooLongError",
    `Use a prefix and a marker of at most ${MAX_KEY_BYTES} bytes`,
  );
}

/**
 * Returns the continuation token for a key or folder: its UTF-8, encoded as base64. Clients return
 * the token unchanged.
 */
const tokenOf = (key: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(key)));

function keyOf(token: string): string {
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    const key = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    // The encoded strings include folders, such as `a/.`, which are not valid keys.
    if (key !== "" && !key.includes("\0")) return key;
  } catch { /* it is not base64 of UTF-8 */ }
  throw new BlobStoreError("InvalidArgument", "The continuation token is not valid");
}

function contents(
  items: readonly ObjectRecord[],
  write: (key: string) => string,
): Elements["Contents"] {
  return items.map(({ key, modifiedAt, etag, size }) => ({
    Key: write(key),
    LastModified: dateOf(modifiedAt),
    ETag: quoted(etag),
    Size: size,
    StorageClass: "STANDARD",
  }));
}

const EMPTY: ObjectPage = { items: [], prefixes: [], next: null };

/** Implements `ListObjectsV2` and its older form. */
export async function listObjects(
  { objects }: S3Stores,
  place: BlobPlace,
  { query, bucket }: SignedCall,
): Promise<Response> {
  const isV2 = query.get("list-type") === "2";
  const encoding = query.get("encoding-type");
  const write = keyWriter(encoding);
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter");
  const limit = limitOf(query, "max-keys");
  const token = query.get("continuation-token");
  const start = query.get(isV2 ? "start-after" : "marker");
  const after = isV2 && token ? keyOf(token) : start || undefined;
  for (const text of [prefix, after ?? ""]) refuseLong(text);
  const { items, prefixes, next } = limit === 0
    ? EMPTY
    : await objects.listObjects(place, { prefix, delimiter, after, limit });
  const given = (name: string, value: string | undefined) =>
    value === undefined ? {} : { [name]: write(value) };
  return xml("ListBucketResult", {
    Name: bucket,
    Prefix: write(prefix),
    ...given("Delimiter", delimiter),
    ...(encoding === undefined ? {} : { EncodingType: encoding }),
    MaxKeys: limit,
    IsTruncated: next !== null,
    ...(isV2
      ? {
        KeyCount: items.length + prefixes.length,
        ...(token === undefined ? {} : { ContinuationToken: token }),
        ...given("StartAfter", start),
        ...(next === null ? {} : { NextContinuationToken: tokenOf(next) }),
      }
      : {
        Marker: write(start ?? ""),
        ...(next === null ? {} : { NextMarker: write(next) }),
      }),
    Contents: contents(items, write),
    CommonPrefixes: prefixes.map((folder) => ({ Prefix: write(folder) })),
  });
}

/** Implements `DeleteObjects`. */
export async function deleteObjects(
  { objects }: S3Stores,
  place: BlobPlace,
  call: SignedCall,
): Promise<Response> {
  const { keys, isQuiet } = parseDeletion(await call.text());
  await pMap(keys, (key) => objects.delete(place, key), { concurrency: PARALLEL });
  return xml("DeleteResult", { Deleted: isQuiet ? [] : keys.map((Key) => ({ Key })) });
}

/** Implements `ListMultipartUploads`. */
export async function listUploads(
  { uploads }: S3Stores,
  place: BlobPlace,
  { query, bucket }: SignedCall,
): Promise<Response> {
  const write = keyWriter(query.get("encoding-type"));
  const prefix = query.get("prefix") ?? "";
  const limit = limitOf(query, "max-uploads");
  const cursor = query.get("upload-id-marker") || undefined;
  const { items, nextCursor } = await uploads.listOpen(place, { prefix, limit, cursor });
  return xml("ListMultipartUploadsResult", {
    Bucket: bucket,
    Prefix: write(prefix),
    MaxUploads: limit,
    IsTruncated: nextCursor !== null,
    ...(nextCursor === null
      ? {}
      : { NextKeyMarker: write(items.at(-1)!.key), NextUploadIdMarker: nextCursor }),
    Upload: items.map(({ key, id, startedAt }) => ({
      Key: write(key),
      UploadId: id,
      Initiated: dateOf(startedAt),
      StorageClass: "STANDARD",
    })),
  });
}
