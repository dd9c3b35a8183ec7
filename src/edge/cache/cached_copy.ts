/**
 * Copies of stored responses for caches in other threads.
 *
 * @module
 */
import type { ResourceUri } from "../../feed/mod.ts";
import { type BodyPlace, PooledBody } from "../bodies/mod.ts";
import type { StoredResponse } from "./types.ts";

/** What is stored of a response, as it is sent to other threads. Data only. */
export interface CopiedResponse extends Omit<StoredResponse, "body"> {
  /** Where the body lies in the memory that all threads share. */
  readonly body: BodyPlace;
}

/** A stored response, with where it is stored. Data only. */
export interface CachedCopy {
  readonly key: string;
  readonly uri: ResourceUri;
  readonly stored: CopiedResponse;
}

/**
 * Takes a copy of the response that answers a request. It is called while the response
 * is stored: a copy that leaves at once leaves before any purge that removes it.
 */
export type KeepCopy = (copy: CachedCopy) => void;

/**
 * The fields of a stored response alone, without those by which a cache keeps it;
 * `undefined` where its body is in memory that threads do not share.
 */
export function plainStored(stored: StoredResponse): CopiedResponse | undefined {
  const { status, headers, body, terms, initialAge, responseTime } = stored;
  const { vary, tags, staleSince, etag, lastModified } = stored;
  if (!(body instanceof PooledBody)) return undefined;
  return {
    ...{ status, headers, body: body.place, terms, initialAge, responseTime },
    ...{ vary, tags, staleSince, etag, lastModified },
  };
}
