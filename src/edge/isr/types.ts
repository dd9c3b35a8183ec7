/**
 * What the parts of kept pages hand to each other.
 *
 * @module
 */
import type { ComputeRequest } from "../../runtime/mod.ts";
import type { CacheRequest, StoredResponse } from "../cache/mod.ts";
import type { HeaderList } from "../messages/mod.ts";

/** Where the pages of one deployment outlive the process, by name; made by the platform. */
export interface IsrStore {
  /** All pages that are there, the oldest first. */
  list(): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  /** `undefined` where there is none of that name. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Afterwards the page is there as a whole, or, after a crash, as it was before. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
}

/** A request for a page that may be kept. */
export interface PageRequest extends Pick<CacheRequest, "method" | "header"> {
  /** Everything that the page depends on. */
  readonly key: string;
  /** Normalized; what a purge names it by. */
  readonly path: string;
  readonly hasQuery: boolean;
  /** True for a client who may get an answer of his own: he shows credentials. */
  readonly isPrivate: boolean;
  /** The request for everyone: with nothing of this client in it. */
  sharedRequest(): ComputeRequest;
}

/** A page in memory. Never changed but for its notes. */
export interface IsrEntry {
  readonly key: string;
  /** Names it in the vault. */
  readonly name: string;
  readonly path: string;
  readonly stored: StoredResponse;
  /** Memory that it takes. */
  readonly bytes: number;
  /** Served since the last look for room. */
  used: boolean;
  /** No refresh before this time: the last one failed. Milliseconds. */
  retryAt: number;
  /** Fields of a hit, which change once a second. */
  hit: { readonly second: number; readonly headers: HeaderList } | undefined;
}
