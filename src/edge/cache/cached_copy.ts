/**
 * Copies of stored responses for caches in other threads.
 *
 * @module
 */
import type { ResourceUri } from "../../feed/mod.ts";
import type { StoredResponse } from "./types.ts";

/** A stored response, with where it is stored. Data only. */
export interface CachedCopy {
  readonly key: string;
  readonly uri: ResourceUri;
  readonly stored: StoredResponse;
}

/**
 * Takes a copy of the response that answers a request. It is called while the response
 * is stored: a copy that leaves at once leaves before any purge that removes it.
 */
export type KeepCopy = (copy: CachedCopy) => void;

/** The fields of a stored response alone, without those by which a cache keeps it. */
export function plainStored(stored: StoredResponse): StoredResponse {
  const { status, headers, body, terms, initialAge, responseTime } = stored;
  const { vary, tags, staleSince, etag, lastModified } = stored;
  return {
    ...{ status, headers, body, terms, initialAge, responseTime },
    ...{ vary, tags, staleSince, etag, lastModified },
  };
}
