/**
 * The public objects of sites. An object is public if its key has a prefix that `svc.toml` lists.
 *
 * @module
 */
import type { ObjectAnswer, SiteObjects } from "../../edge/mod.ts";
import type { BlobPlace } from "./object_record.ts";
import type { ObjectStore } from "./object_store.ts";
import { readObject } from "./s3/object_requests.ts";
import { BlobStoreError } from "./store_error.ts";

const NO_QUERY: ReadonlyMap<string, string> = new Map();

type ObjectRequest = Parameters<SiteObjects["answer"]>[1];

/** Opens the objects in a store whose keys have one of these prefixes. */
export function openSiteObjects(
  objects: ObjectStore,
  place: BlobPlace,
  beginnings: readonly string[],
): SiteObjects {
  return {
    async answer(key, request) {
      if (!beginnings.some((beginning) => key.startsWith(beginning))) return undefined;
      try {
        return await read(objects, place, key, request);
      } catch (error) {
        if (!(error instanceof BlobStoreError) || error.status >= 500) throw error;
        return error.code === "NoSuchKey" ? undefined : refusal(error);
      }
    },
  };
}

async function read(
  objects: ObjectStore,
  place: BlobPlace,
  key: string,
  request: ObjectRequest,
): Promise<ObjectAnswer> {
  const { method } = request;
  const object = await objects.get(place, key);
  // Only GET supports ranges (RFC 9110, 14.2), while in S3, HEAD supports them too.
  const headers = {
    get: (name: string) => method === "HEAD" && name === "range" ? null : request.header(name),
  };
  const response = await readObject({ objects }, object, { method, headers, query: NO_QUERY });
  const length = response.headers.get("content-length");
  return {
    status: response.status,
    // Omits `last-modified`, because browsers would guess a lifetime from it.
    headers: [...response.headers]
      .filter(([name]) => name !== "content-length" && name !== "last-modified"),
    body: response.body,
    bytes: length === null ? undefined : Number(length),
  };
}

/** Returns the response for a failed condition or an unsatisfiable range. */
const refusal = ({ status, contentRange }: BlobStoreError): ObjectAnswer => ({
  status,
  headers: [
    ["cache-control", "no-store"],
    ...Object.entries(contentRange === undefined ? {} : { "content-range": contentRange }),
  ],
  body: null,
  bytes: 0,
});
