/**
 * @module Fetches images from sites that the project declares, without sending any visitor data.
 */
import { OutboundError, type OutboundFetch, type OutboundRequest } from "../../runtime/mod.ts";
import type { Bytes } from "../messages/body.ts";
import { readSource } from "./read_source.ts";
import type { SiteImages } from "./site_images.ts";
import { SOURCE_ACCEPT } from "./source_request.ts";

/** Maximum time for fetching one source, including redirects and body, in milliseconds. */
const FETCH_MS = 10_000;

/** Maximum number of redirects to follow. */
const MAX_REDIRECTS = 3;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Error codes that result in a 504. All others result in a 502. */
const TIMEOUTS = new Set(["connect_timeout", "idle_timeout", "aborted"]);

/** A source is unavailable. The reason contains nothing from the request. */
export class SourceFailedError extends Error {
  override readonly name = "SourceFailedError";

  constructor(readonly status: number, readonly reason: string, options?: ErrorOptions) {
    super(reason, options);
  }
}

/** A source that has been read completely. */
export interface FetchedSource {
  readonly bytes: Bytes;
  readonly cacheControl: string | undefined;
  /** Value of `Age`. */
  readonly age: string | undefined;
  /** Whether the source can change at any time. If so, no cache stores it. */
  readonly isCurrent?: boolean | undefined;
}

/** Returns the error for a source whose response has a status other than 200. */
export function failedStatus(status: number): SourceFailedError {
  const kept = [401, 403, 404, 410, 429].includes(status);
  return new SourceFailedError(
    kept ? status : 502,
    kept
      ? `The image cannot be read: its URL returned status ${status}.`
      : "The image cannot be read.",
  );
}

interface RemoteSourceOptions {
  readonly outbound: OutboundFetch;
  /** Creates a signal that aborts a request after the maximum time. */
  readonly timeout?: (milliseconds: number) => AbortSignal;
}

interface RemoteFetch {
  readonly url: URL;
  /** Value of `Via`, used to detect loops. */
  readonly via: string;
  readonly signal: AbortSignal;
  /** Called with the length of each part. */
  readonly count: (bytes: number) => void;
}

const requestFor = (url: URL, via: string): OutboundRequest => ({
  method: "GET",
  url: url.href,
  headers: [["accept", SOURCE_ACCEPT], ["user-agent", "svc-images"], ["via", via]],
  body: null,
  redirect: "manual",
});

export class RemoteSources {
  readonly #options: RemoteSourceOptions;

  constructor(options: RemoteSourceOptions) {
    this.#options = options;
  }

  /**
   * Fetches an image.
   *
   * @throws {SourceFailedError} If there is no image, or a redirect leads to an undeclared host
   */
  async fetch(
    images: SiteImages,
    { url, via, count }: Omit<RemoteFetch, "signal">,
  ): Promise<FetchedSource> {
    const { timeout = AbortSignal.timeout } = this.#options;
    const signal = timeout(FETCH_MS);
    try {
      return await this.#follow(images, { url, via, signal, count });
    } catch (cause) {
      if (cause instanceof OutboundError || signal.aborted) {
        const code = cause instanceof OutboundError ? cause.code : "aborted";
        const status = signal.aborted || TIMEOUTS.has(code) ? 504 : 502;
        throw new SourceFailedError(status, "The image's site did not respond.", { cause });
      }
      throw cause;
    }
  }

  async #follow(
    images: SiteImages,
    { url, via, signal, count }: RemoteFetch,
  ): Promise<FetchedSource> {
    let at = url;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const { status, headers, body, bytes } = await this.#options.outbound({
        ...requestFor(at, via),
        signal,
      });
      const field = (wanted: string) =>
        headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
      const location = field("location");
      if (REDIRECTS.has(status) && location !== undefined) {
        await body?.cancel().catch(() => {});
        at = this.#redirected(images, at, location);
        continue;
      }
      if (status !== 200 || field("content-encoding") !== undefined) {
        await body?.cancel().catch(() => {});
        throw failedStatus(status);
      }
      const read = await readSource(bytes ?? body, count);
      return { bytes: read, cacheControl: field("cache-control"), age: field("age") };
    }
    throw new SourceFailedError(502, "The image URL redirects too many times.");
  }

  #redirected(images: SiteImages, from: URL, location: string): URL {
    if (!URL.canParse(location, from)) throw failedStatus(502);
    const url = new URL(location, from);
    if (images.allowsRemote(url) && url.username === "" && url.password === "") return url;
    throw new SourceFailedError(
      502,
      "The image URL redirects to a host that is not listed.",
    );
  }
}
