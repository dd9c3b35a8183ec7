/**
 * Object metadata in request and response headers. Pure.
 *
 * @module
 */
import { contentType as typeByEnding } from "../../../edge/mod.ts";
import { ALGORITHMS } from "../checksums.ts";
import { MAX_FIELDS_BYTES, MAX_METADATA_BYTES } from "../limits.ts";
import type { Described, ObjectRecord } from "../object_record.ts";
import { hasTag, type WriteCondition } from "../object_store.ts";
import { BlobStoreError } from "../store_error.ts";

/** Header fields that are stored with an object and repeated in responses. */
const KEPT = [
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "expires",
] as const;

const META = "x-amz-meta-";

export const quoted = (etag: string): string => `"${etag}"`;

/** Returns the request headers that describe the object to write. */
export function describedBy(headers: Headers, key: string): Described {
  const metadata: Record<string, string> = {};
  let size = 0;
  for (const [name, value] of headers) {
    if (!name.startsWith(META)) continue;
    metadata[name.slice(META.length)] = value;
    size += name.length - META.length + value.length;
  }
  if (size > MAX_METADATA_BYTES) {
    throw new BlobStoreError(
      "MetadataTooLarge",
      `Use at most ${MAX_METADATA_BYTES} bytes of metadata`,
    );
  }
  const fields: Record<string, string> = {};
  for (const name of KEPT) {
    const value = headers.get(name);
    // `aws-chunked` describes only the transfer, so it is not stored.
    const kept = name === "content-encoding" && value !== null
      ? value.split(",").map((each) => each.trim()).filter((each) => each !== "aws-chunked")
        .join(", ")
      : value;
    if (kept !== null && kept !== "") fields[name] = kept;
  }
  const contentType = headers.get("content-type") ?? typeByEnding(key);
  if ([contentType, ...Object.values(fields)].join("").length > MAX_FIELDS_BYTES) {
    throw new BlobStoreError(
      "MetadataTooLarge",
      `Use at most ${MAX_FIELDS_BYTES} bytes for the type and other fields of the object`,
    );
  }
  return { contentType, fields, metadata };
}

export function writeCondition(headers: Headers): WriteCondition {
  return {
    ifMatch: headers.get("if-match") ?? undefined,
    ifNoneMatch: headers.get("if-none-match") ?? undefined,
  };
}

/** @throws {BlobStoreError} for any version except `null`, which is the only one. */
export function refuseVersion(id: string | null | undefined): void {
  if (!id || id === "null") return;
  throw new BlobStoreError("InvalidArgument", "Objects have no versions; leave out the version id");
}

/** Rounds down to whole seconds, the precision of HTTP dates. */
const seconds = (time: number): number => Math.floor(time / 1000);

function isBefore(object: ObjectRecord, date: string | null): boolean | undefined {
  const time = date === null ? NaN : Date.parse(date);
  return Number.isNaN(time) ? undefined : seconds(object.modifiedAt) <= seconds(time);
}

/**
 * Evaluates the conditions of a read (RFC 9110, 13.2.2). Returns true if the client already has the
 * object.
 *
 * @throws {BlobStoreError} `PreconditionFailed`
 */
export function isKnown(
  object: ObjectRecord,
  headers: { get(name: string): string | null },
  prefix = "",
): boolean {
  const field = (name: string) => headers.get(`${prefix}${name}`);
  const failed = () =>
    new BlobStoreError("PreconditionFailed", "The object does not meet the condition");
  const [ifMatch, ifNoneMatch] = [field("if-match"), field("if-none-match")];
  if (ifMatch !== null) {
    if (!hasTag(ifMatch, object.etag)) throw failed();
  } else if (isBefore(object, field("if-unmodified-since")) === false) throw failed();
  const isSame = ifNoneMatch === null
    ? isBefore(object, field("if-modified-since")) === true
    : hasTag(ifNoneMatch, object.etag);
  return isSame;
}

/**
 * Returns the first and last byte of a range, or `undefined` if the whole object is requested or
 * the field is invalid.
 */
export function rangeOf(
  field: string | null,
  size: number,
): { readonly start: number; readonly end: number } | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(field ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  const range = first === ""
    ? { start: Math.max(0, size - Number(last)), end: size - 1 }
    : { start: Number(first), end: Math.min(last === "" ? Infinity : Number(last), size - 1) };
  if (range.start <= range.end && range.start < size) return range;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  throw new BlobStoreError("InvalidRange", `The object has ${size} bytes`, `bytes */${size}`);
}

/** Response headers that a request's query can override. */
const OVERRIDES = [...KEPT, "content-type"] as const;

/** Returns the headers of a response that contains an object, except those about its length. */
export function fieldsOf(
  object: ObjectRecord,
  { query, headers }: {
    readonly query: ReadonlyMap<string, string>;
    readonly headers: { get(name: string): string | null };
  },
): Headers {
  const fields = new Headers({
    "content-type": object.contentType,
    ...object.fields,
    ...Object.fromEntries(
      Object.entries(object.metadata).map(([name, value]) => [`${META}${name}`, value]),
    ),
    etag: quoted(object.etag),
    "last-modified": new Date(object.modifiedAt).toUTCString(),
    "accept-ranges": "bytes",
  });
  for (const name of OVERRIDES) {
    const value = query.get(`response-${name}`);
    if (value !== undefined && /^[\x20-\x7e]+$/.test(value)) fields.set(name, value);
  }
  if (headers.get("x-amz-checksum-mode")?.toUpperCase() === "ENABLED") {
    addChecksums(fields, object);
  }
  return fields;
}

/** Adds the known checksums of a whole object or part. */
export function addChecksums(
  fields: Headers,
  { checksums }: Pick<ObjectRecord, "checksums">,
): void {
  for (const algorithm of ALGORITHMS) {
    const digest = checksums[algorithm];
    if (digest !== undefined) fields.set(`x-amz-checksum-${algorithm}`, digest);
  }
}
