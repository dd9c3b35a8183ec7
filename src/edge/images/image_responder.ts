/** @module Serves the image endpoints of sites, and converts each image only once. */
import type { Clock } from "../../lib/clock.ts";
import { RecentMap } from "../../lib/memo.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import { sha256InTurns } from "../../lib/hash.ts";
import type { ImageStyle } from "../../manifest/mod.ts";
import { type ImageFormat, MAX_SOURCE_BYTES, type OutboundFetch } from "../../runtime/mod.ts";
import { CacheControl, deltaSeconds } from "../cache/cache_control.ts";
import type { RequestTarget } from "../compute/compute_request.ts";
import type { Bytes } from "../messages/body.ts";
import { findHeader, type Header, type HeaderList } from "../messages/header_list.ts";
import { isLoop, viaOf } from "../messages/message_headers.ts";
import { isReading } from "../messages/messages.ts";
import type { ClientRequest } from "../request/client_request.ts";
import { edgePage, type PagedRequest } from "../response/error_pages.ts";
import type { EdgeResponse } from "../response/edge_response.ts";
import type { StaticFile } from "../static/static_file.ts";
import {
  busyResponse,
  convertedResponse,
  fileName,
  imageKey,
  type ImageReply,
  notModified,
  originalResponse,
  refusedImage,
} from "./image_response.ts";
import { type SniffedImage, sniffImage } from "./image_type.ts";
import { type JudgedSource, judgeSource } from "./judge_source.ts";
import { acceptedFormat } from "./negotiate_format.ts";
import { NOT_OURS, parseQuery } from "./parse_query.ts";
import { readSource, SourceMemory, SourcesBusyError, SourceTooLargeError } from "./read_source.ts";
import {
  failedStatus,
  type FetchedSource,
  RemoteSources,
  SourceFailedError,
} from "./remote_source.ts";
import type { SiteImages } from "./site_images.ts";
import { SourceRequest } from "./source_request.ts";
import type { ImageOutcome, ImageQuery, ImageService, TargetFormat } from "./types.ts";

/** The site's own content at a source URL, for one visitor. */
export type OwnSource =
  /** The rules deny the visitor access to the source, or redirect the visitor. */
  | { readonly type: "refused"; readonly status: number }
  | Shown & { readonly type: "file"; readonly file: StaticFile }
  /** The source is a server, a function or another site. */
  | Shown & { readonly type: "origin" };

interface Shown {
  /** Whether the rules make the same decision for all visitors. */
  readonly isForAll: boolean;
  read(): EdgeResponse | Promise<EdgeResponse>;
}

interface ImageRequest {
  readonly site: {
    readonly projectId: string;
    readonly deploymentId: string;
    readonly common: HeaderList;
    readonly images: SiteImages;
  };
  readonly request: PagedRequest;
  readonly visitor: ClientRequest;
  readonly style: ImageStyle;
  readonly target: RequestTarget;
  /** Evaluates the site's rules for the source. */
  open(source: SourceRequest): OwnSource;
}

interface ImageResponderOptions {
  readonly service: ImageService;
  readonly outbound: OutboundFetch;
  /** Name of this edge in `Via`. */
  readonly pseudonym: string;
  readonly now: Clock;
}

/** Cached data about a source that is not a file. */
interface RememberedSource {
  readonly identity: string;
  readonly freshUntil: number;
}

/** A source whose bytes have not been read yet. */
interface Source {
  /** Hash of the source's content. */
  readonly identity: string;
  readonly cacheControl: string;
  readonly isShared: boolean;
  /**
   * How long a front edge may cache the result, in seconds, or 0 if it must ask the platform each
   * time.
   */
  readonly keptSeconds: number;
  read(count: (bytes: number) => void): Promise<Bytes>;
}

type ConversionResult =
  | { readonly outcome: Extract<ImageOutcome, { type: "converted" | "busy" | "refused" }> }
  | {
    readonly outcome: Extract<ImageOutcome, { type: "original" }>;
    readonly source: { readonly type: SniffedImage["type"]; readonly bytes: Bytes };
  };

/**
 * How long a front edge caches images that come from files, in seconds. Files never change within a
 * deployment.
 */
const FILE_SECONDS = 24 * 60 * 60;

/** Maximum number of cached sources from servers and other sites. */
const MAX_REMEMBERED = 4096;

const ALLOW_READING: Header = ["allow", "GET, HEAD"];
const PRIVATE = "private, no-store";
const NO_IMAGE = "The URL does not point to an image in a supported format.";
const TOO_LARGE = `The image is larger than ${MAX_SOURCE_BYTES / 1024 / 1024} MiB.`;

/** Returns the format of an unconverted source. A still GIF becomes a PNG. */
function sameFormat({ type }: SniffedImage): ImageFormat | undefined {
  if (type === "gif") return "png";
  return type === "jpeg" || type === "png" || type === "webp" || type === "avif" ? type : undefined;
}

export class ImageResponder {
  readonly #remote: RemoteSources;
  readonly #memory = new SourceMemory();
  readonly #remembered = new RecentMap<RememberedSource>(MAX_REMEMBERED);
  readonly #making = new SingleFlight<ConversionResult>();

  readonly #options: ImageResponderOptions;

  constructor(options: ImageResponderOptions) {
    this.#options = options;
    this.#remote = new RemoteSources(options);
  }

  /**
   * Responds to a request for an image. Returns `undefined` to leave the request to the framework's
   * own endpoint.
   */
  respond(ask: ImageRequest): EdgeResponse | Promise<EdgeResponse> | undefined {
    const { site, request, visitor, style, target } = ask;
    const reply = { request, common: site.common };
    if (!isReading(request.method)) {
      return edgePage(request, 405, { headers: [ALLOW_READING, ...site.common] });
    }
    const query = parseQuery(site.images, style, target);
    if (query === NOT_OURS) return undefined;
    if ("problem" in query) return refusedImage(reply, 400, query.problem);
    if (isLoop({ via: visitor.header("via"), pseudonym: this.#options.pseudonym })) {
      return edgePage(request, 508, { headers: site.common });
    }
    const origin = `${visitor.scheme}://${visitor.authority}`;
    const judged = judgeSource(site.images, query.source, origin);
    if (judged.type === "refused") {
      // The framework's own endpoint may allow sites that this endpoint does not allow.
      return style === "astro" || style === "ipx"
        ? undefined
        : refusedImage(reply, 400, judged.problem);
    }
    return this.#serve(ask, query, judged).catch((error) => failed(reply, error));
  }

  async #serve(
    ask: ImageRequest,
    query: ImageQuery,
    judged: Exclude<JudgedSource, { type: "refused" }>,
  ): Promise<EdgeResponse> {
    const { site, request } = ask;
    const format = query.format ??
      acceptedFormat(request.header("accept"), site.images.formats) ?? "same";
    const image: WantedImage = {
      ask,
      query,
      format,
      name: fileName(judged.url.pathname),
      allowsSvg: site.images.allowsSvg || judged.type === "own" && query.keepsSvg === true,
    };
    if (judged.type === "remote") {
      const via = viaOf({
        via: ask.visitor.header("via"),
        pseudonym: this.#options.pseudonym,
      });
      const fetch = async (count: (bytes: number) => void) =>
        await this.#remote.fetch(site.images, { url: judged.url, via, count });
      const { href } = judged.url;
      const kept = { scope: `remote ${href}`, minMs: site.images.minTtlMs, isForAll: true };
      return await this.#serveFetched(image, kept, fetch);
    }
    const source = ask.open(new SourceRequest(ask.visitor, judged.url));
    if (source.type === "refused") throw failedStatus(source.status);
    if (source.type === "file") return await this.#serveFile(image, source);
    // Without caching headers, the server receives every request, because it may check permissions.
    const { isForAll } = source;
    const kept = { scope: `${site.deploymentId} ${judged.url.href}`, minMs: 0, isForAll };
    let isCurrent: boolean | undefined;
    const response = await this.#serveFetched(image, kept, async (count) => {
      const { status, headers, body, ...read } = await source.read();
      isCurrent = read.isCurrent;
      if (status !== 200 || findHeader(headers, "content-encoding") !== undefined) {
        if (body instanceof ReadableStream) await body.cancel();
        throw failedStatus(status);
      }
      const bytes = await readSource(body, count);
      const cacheControl = findHeader(headers, "cache-control");
      return { bytes, cacheControl, age: findHeader(headers, "age"), isCurrent };
    }).catch((error) => failed({ request, common: site.common }, error));
    return { ...response, isCurrent };
  }

  /**
   * Serves an image file from the deployment. The file's hash is known without reading the file.
   */
  async #serveFile(
    image: WantedImage,
    { file: { plain }, isForAll, read }: Extract<OwnSource, { type: "file" }>,
  ): Promise<EdgeResponse> {
    if (plain.size > MAX_SOURCE_BYTES) throw new SourceTooLargeError();
    const source: Source = {
      identity: plain.sha256,
      cacheControl: findHeader(plain.headers, "cache-control") ?? PRIVATE,
      isShared: true,
      keptSeconds: isForAll ? FILE_SECONDS : 0,
      read: async (count) => await readSource((await read()).body, count),
    };
    return await this.#known(image, source) ?? await this.#make(image, source);
  }

  /**
   * Serves an image from another origin. Remembers the image's identity while the image is fresh.
   */
  async #serveFetched(
    image: WantedImage,
    { scope, minMs, isForAll }: {
      readonly scope: string;
      readonly minMs: number;
      readonly isForAll: boolean;
    },
    fetch: (count: (bytes: number) => void) => Promise<FetchedSource>,
  ): Promise<EdgeResponse> {
    const now = this.#options.now();
    const before = this.#remembered.get(scope);
    if (before !== undefined && before.freshUntil > now) {
      const cacheControl = freshFor(before.freshUntil - now);
      const keptSeconds = isForAll ? (before.freshUntil - now) / 1000 : 0;
      const source = { ...before, cacheControl, isShared: true, keptSeconds };
      const known = await this.#known(image, source);
      if (known !== undefined) return known;
    }
    return await this.#memory.use(async (count) => {
      const { bytes, cacheControl: field, age, isCurrent } = await fetch(count);
      const directives = CacheControl.of(field);
      const isShared = !directives.has("no-store") && !directives.has("private");
      const seconds = directives.hasUnqualified("no-cache")
        ? 0
        : directives.seconds("s-maxage") ?? directives.seconds("max-age") ?? 0;
      const lifetime = Math.max(minMs, (seconds - (deltaSeconds(age) ?? 0)) * 1000);
      const identity = await sha256InTurns(bytes);
      if (isShared && isCurrent !== true) {
        this.#remembered.set(scope, { identity, freshUntil: now + lifetime });
      }
      const source: Source = {
        identity,
        cacheControl: isShared ? freshFor(lifetime) : PRIVATE,
        isShared,
        // The first response is not stored at the edge. Later requests use the remembered source.
        keptSeconds: 0,
        read: () => Promise.resolve(bytes),
      };
      return await this.#known(image, source) ?? await this.#make(image, source);
    });
  }

  /**
   * Returns a response that does not need the source, if the client or the platform already has the
   * result.
   */
  async #known(
    image: WantedImage,
    { identity, isShared, ...terms }: Omit<Source, "read">,
  ): Promise<EdgeResponse | undefined> {
    const reply = replyOf(image, terms);
    const key = imageKey(identity, image.query, image.format);
    const unchanged = notModified(reply, key);
    if (unchanged !== undefined || !isShared) return unchanged;
    const found = await this.#options.service.find(image.ask.site.projectId, key);
    return found && convertedResponse(reply, key, { ...found, isNew: false });
  }

  async #make(image: WantedImage, source: Source): Promise<EdgeResponse> {
    const { projectId } = image.ask.site;
    const key = imageKey(source.identity, image.query, image.format);
    const made = source.isShared
      ? await this.#making.run(`${projectId} ${key}`, () => this.#convert(image, source, key))
      : await this.#convert(image, source, key);
    const reply = replyOf(image, source);
    const { outcome } = made;
    switch (outcome.type) {
      case "converted":
        return convertedResponse(reply, key, { ...outcome.image, isNew: outcome.isNew });
      case "busy":
        return busyResponse(reply);
      case "refused":
        return refusedImage(reply, outcome.status, outcome.reason);
      case "original":
        return "source" in made
          ? originalResponse(reply, made.source, outcome.reason)
          : busyResponse(reply);
    }
  }

  #convert(image: WantedImage, source: Source, key: string): Promise<ConversionResult> {
    const { ask, query: { width, height, fit, quality }, format } = image;
    return this.#memory.use(async (count): Promise<ConversionResult> => {
      const bytes = await source.read(count);
      const sniffed = sniffImage(bytes);
      if (sniffed === undefined || sniffed.type === "svg" && !image.allowsSvg) {
        throw new SourceFailedError(400, NO_IMAGE);
      }
      const original = { type: sniffed.type, bytes };
      const same = sameFormat(sniffed);
      if (same === undefined || sniffed.isAnimated) {
        return { outcome: { type: "original" }, source: original };
      }
      const outcome = this.#options.service.knownFailure(key) ??
        await this.#options.service.convert({
          projectId: ask.site.projectId,
          key,
          conversion: { width, height, fit, quality },
          format: format === "same" ? same : format,
          source: bytes,
          isShared: source.isShared,
        });
      return outcome.type === "original" ? { outcome, source: original } : { outcome };
    });
  }
}

/** A requested image whose source is not known yet. */
interface WantedImage {
  readonly ask: ImageRequest;
  readonly query: ImageQuery;
  readonly format: TargetFormat;
  readonly name: string;
  readonly allowsSvg: boolean;
}

function replyOf(
  { ask, query, name }: WantedImage,
  { cacheControl, keptSeconds }: Pick<Source, "cacheControl" | "keptSeconds">,
): ImageReply {
  return {
    keptSeconds,
    request: ask.request,
    common: ask.site.common,
    cacheControl,
    varies: query.format === undefined,
    name,
  };
}

const freshFor = (milliseconds: number): string =>
  `public, max-age=${Math.floor(milliseconds / 1000)}, must-revalidate`;

/** Returns the response for a source that is unavailable. Other errors are faults. */
function failed(reply: Pick<ImageReply, "request" | "common">, error: unknown): EdgeResponse {
  if (error instanceof SourceFailedError) return refusedImage(reply, error.status, error.reason);
  if (error instanceof SourceTooLargeError) return refusedImage(reply, 413, TOO_LARGE);
  if (error instanceof SourcesBusyError) return busyResponse(reply);
  throw error;
}
