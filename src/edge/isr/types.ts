/** @module The types that the parts of the ISR cache share. */
import type { ComputeRequest } from "../../runtime/mod.ts";
import type { CacheRequest, StoredResponse, Terms, VaryField } from "../cache/types.ts";
import type { HeaderList } from "../messages/header_list.ts";

/** Persistent storage for the pages of one deployment, by name. The platform provides it. */
export interface IsrStore {
  /** Returns all pages, oldest first. */
  list(): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  /** Returns `undefined` if there is no page with the name. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Writes a page atomically. After a crash, either the old or the new page is intact. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
}

/** A request for a page that may be stored. */
export interface PageRequest extends Pick<CacheRequest, "method" | "header"> {
  /** Contains everything in the request that the page depends on. */
  readonly key: string;
  /** Normalized path, which purges use to find the page. */
  readonly path: string;
  readonly hasQuery: boolean;
  /**
   * Whether the page is stored because its response declares it cacheable, not because of the
   * page's route.
   */
  readonly isDeclared: boolean;
  /** Whether the client gets its own response, for example because the client sent credentials. */
  readonly isPrivate: boolean;
  /**
   * Returns the shared request for the page. It contains nothing from this client except the
   * headers that select the page.
   */
  sharedRequest(selecting: readonly VaryField[]): ComputeRequest;
}

/** When a page was requested, for comparison with later requests and purges. */
export interface Requested {
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  /** `PageMarks.order` at that time. Missing for a page from disk. */
  readonly order?: number | undefined;
}

/** A page that may be stored, with the decision about it. */
export interface Storable {
  readonly type: "store";
  readonly tags: readonly string[];
  /** The request headers that select the page, with their values. */
  readonly vary: readonly VaryField[];
  /** Cache terms that the response declares. Missing if the route's `revalidate` sets them. */
  readonly terms?: Terms | undefined;
  /** The page's age on arrival, in seconds. */
  readonly initialAge: number;
  /** Whether to write the page to disk. False if the page would be useless after a restart. */
  readonly isKept: boolean;
}

/** A page in memory. Only the last four fields change. */
export interface IsrEntry {
  readonly key: string;
  /** The page's name on disk. */
  readonly name: string;
  readonly path: string;
  readonly requested: Requested;
  /** Memory used by the page without its body, in bytes. */
  readonly headBytes: number;
  stored: StoredResponse;
  /** `PageMarks.order` when the page was last checked. */
  judgedAt: number;
  /** Earliest time of the next refresh after a failed one, in milliseconds since the Unix epoch. */
  retryAt: number;
  /** Header fields of a fresh hit, shared by all hits within one second. */
  hit: { readonly second: number; readonly headers: HeaderList } | undefined;
}
