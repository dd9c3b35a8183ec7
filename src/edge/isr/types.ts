/**
 * The types that the parts of the ISR cache share.
 *
 * @module
 */
import type { ComputeRequest } from "../../runtime/mod.ts";
import type { CacheRequest, StoredResponse } from "../cache/mod.ts";
import type { HeaderList } from "../messages/mod.ts";

/** Persistent storage for the pages of one deployment, by name; provided by the platform. */
export interface IsrStore {
  /** All pages, the oldest first. */
  list(): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  /** Returns `undefined` where there is no page of that name. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Writes a page atomically: after a crash it is complete, or as it was before. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
}

/** A request for a page that may be stored. */
export interface PageRequest extends Pick<CacheRequest, "method" | "header"> {
  /** All of the request that the page depends on. */
  readonly key: string;
  /** Normalized; purging finds pages by it. */
  readonly path: string;
  readonly hasQuery: boolean;
  /** Whether the response may depend on the client, since the request has credentials. */
  readonly isPrivate: boolean;
  /** The request for the page that all visitors get, without anything of this client. */
  sharedRequest(): ComputeRequest;
}

/** A page in memory. Only the last three fields change. */
export interface IsrEntry {
  readonly key: string;
  /** Its name on disk. */
  readonly name: string;
  readonly path: string;
  readonly stored: StoredResponse;
  /** Its memory in bytes. */
  readonly bytes: number;
  /** Whether it was served since the CLOCK hand last passed. */
  used: boolean;
  /** Time of the next refresh after one that failed, in milliseconds since the Unix epoch. */
  retryAt: number;
  /** Header fields of a fresh hit, shared by all hits within one second. */
  hit: { readonly second: number; readonly headers: HeaderList } | undefined;
}
