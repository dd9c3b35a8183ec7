/**
 * Copies of stored responses for caches in other threads.
 *
 * @module
 */
import type { ResourceUri } from "../../feed/mod.ts";
import { type BodyPlace, PooledBody } from "../bodies/mod.ts";
import type { MemoryBody } from "../messages/mod.ts";
import type { StoredResponse } from "./types.ts";

/** What is stored of a response, as it is sent to other threads. Data only. */
export interface CopiedResponse extends Omit<StoredResponse, "body"> {
  /** The body, or where it lies in the memory that all threads share. */
  readonly body: MemoryBody | BodyPlace;
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

/** The fields of a stored response alone, without those by which a cache keeps it. */
export function plainStored(stored: StoredResponse): CopiedResponse {
  const { status, headers, body, terms, initialAge, responseTime } = stored;
  const { vary, tags, staleSince, etag, lastModified } = stored;
  const plain = body instanceof PooledBody ? body.place : body;
  return {
    ...{ status, headers, body: plain, terms, initialAge, responseTime },
    ...{ vary, tags, staleSince, etag, lastModified },
  };
}
