/** @module A deployment's own responses: files, servers, its 404 page and edge pages. */
import type { ComputeFailedError } from "../compute/compute_failure.ts";
import { type ComputeUse, type Missing, respondFromCompute } from "../compute/compute_responder.ts";
import { type RequestTarget, type ServerRequest, targetText } from "../compute/compute_request.ts";
import type { Header, HeaderList } from "../messages/header_list.ts";
import { isReading } from "../messages/messages.ts";
import { edgePage, type PagedRequest } from "../response/error_pages.ts";
import type { EdgeResponse } from "../response/edge_response.ts";
import { REVALIDATE } from "../static/cache_control.ts";
import type { ComputeResolution, MovedFile, Resolution } from "../static/site_content.ts";
import { decideStatic, negotiate } from "../static/decide.ts";
import { FileServer } from "../static/file_server.ts";
import type { PastAsset } from "../static/past_assets.ts";
import type { StaticFile } from "../static/static_file.ts";
import { isObjectPath, respondWithObject } from "./site_objects.ts";
import type { Site } from "./site.ts";
import { wantsDocument } from "./wanted_content.ts";

const ALLOW_READING: HeaderList = [["allow", "GET, HEAD"]];

const VARY_ACCEPT: Header = ["vary", "accept, sec-fetch-dest"];

/** Header fields that describe a page's file. They do not apply to a failure. */
const OF_FILE: ReadonlySet<string> = new Set(["accept-ranges", "cache-control", "etag", "vary"]);
/** Header fields of an edge page that describe the failure. */
const OF_FAILURE: ReadonlySet<string> = new Set(["allow", "retry-after"]);

/** Turns one of the site's pages into the response to a failure. */
function asFailure(page: EdgeResponse, failure: EdgeResponse): EdgeResponse {
  const headers: Header[] = [
    ...page.headers.filter(([name]) => !OF_FILE.has(name)),
    ...failure.headers.filter(([name]) => OF_FAILURE.has(name)),
    ["cache-control", "no-store"],
    ["vary", "accept, accept-encoding"],
  ];
  return { ...failure, headers, body: page.body, bytes: page.bytes };
}

/** Decides whether a client may be redirected to another path of the same page. */
export interface PageMoves {
  canMoveTo(path: string): boolean;
}

/** Options for following the routes. */
interface RouteUse extends Partial<ComputeUse> {
  /** Missing if the path is not the client's, for example after a rewrite. */
  readonly moves?: PageMoves | undefined;
}

/** A request that follows the routes. */
interface RouteContext {
  readonly site: Site;
  readonly request: ServerRequest;
  readonly target: RequestTarget;
  readonly use: RouteUse;
}

const ANY_USE: RouteUse = {};

/**
 * Returns the redirect to a page's URL. The redirect must not be cached, because the next
 * deployment may use a different URL.
 */
function moved({ site, target: { query } }: RouteContext, { address }: MovedFile): EdgeResponse {
  const location = targetText({ path: address, query });
  const headers: Header[] = [["location", location], ["cache-control", REVALIDATE]];
  return { status: 308, headers: [...headers, ...site.common], body: null, bytes: 0 };
}

/** Returns the page for a failed server. The cause goes to the site's log. */
export function failureResponse(
  error: ComputeFailedError,
  request: PagedRequest,
  { common }: Pick<Site, "common">,
): EdgeResponse {
  const page = edgePage(request, error.status, { headers: [...error.headers, ...common] });
  return { ...page, problem: error.message };
}

/** Handles endpoints of sites, such as images and forms, before the routes. */
export interface SiteEndpoint {
  /** Handles a request, or returns `undefined` to leave it to the site's routes. */
  respond(
    site: Site,
    request: ServerRequest,
    target: RequestTarget,
  ): EdgeResponse | Promise<EdgeResponse> | undefined;
}

interface SiteResponderOptions {
  /** Memory for small files, in bytes. */
  readonly cacheBytes?: number | undefined;
  /** Converts images. If missing, images are not converted. */
  readonly images?: SiteEndpoint | undefined;
  readonly forms?: SiteEndpoint | undefined;
}

export class SiteResponder {
  readonly #files: FileServer;
  readonly #endpoints: readonly (SiteEndpoint | undefined)[];

  constructor({ cacheBytes, images, forms }: SiteResponderOptions = {}) {
    this.#files = new FileServer(cacheBytes);
    this.#endpoints = [images, forms];
  }

  /**
   * Serves a normalized path from the deployment's routes.
   *
   * @throws {ComputeFailedError} If the server of a COMPUTE layer cannot respond
   */
  route(
    site: Site,
    request: ServerRequest,
    target: RequestTarget,
    use: RouteUse = ANY_USE,
  ): EdgeResponse | Promise<EdgeResponse> {
    if (site.ownPaths.has(target.path)) {
      return edgePage(request, 403, { headers: site.common });
    }
    for (const endpoint of this.#endpoints) {
      const response = endpoint?.respond(site, request, target);
      if (response !== undefined) return response;
    }
    if (site.objects !== undefined && isObjectPath(site, target.path)) {
      return respondWithObject({ ...site, objects: site.objects }, request, target.path);
    }
    return this.#settle(
      { site, request, target, use },
      site.content.resolve(
        request.method,
        target.path,
      ),
    );
  }

  #settle(context: RouteContext, resolution: Resolution): EdgeResponse | Promise<EdgeResponse> {
    const { site, request, target } = context;
    const { past } = site;
    if (past === undefined || resolution.type === "file" || !isReading(request.method)) {
      return this.#answer(context, resolution);
    }
    const asset = past.assetAt(target.path);
    const next = (found: PastAsset | undefined) =>
      found === undefined ? this.#answer(context, resolution) : this.#pastAsset(context, found);
    return asset instanceof Promise ? asset.then(next) : next(asset);
  }

  /** Serves a file that is missing from the live deployment, but exists in an earlier one. */
  async #pastAsset({ site, request }: RouteContext, asset: PastAsset): Promise<EdgeResponse> {
    const response = await this.file({ ...site, blobs: asset.blobs }, request, asset.file);
    if (response.isEdgePage === true) return response;
    return { ...response, headers: [...response.headers, ...site.common] };
  }

  #answer(context: RouteContext, resolution: Resolution): EdgeResponse | Promise<EdgeResponse> {
    const { site, request } = context;
    const { method } = request;
    switch (resolution.type) {
      case "file":
        return this.file(site, request, resolution.file);
      case "moved":
        return context.use.moves?.canMoveTo(resolution.address) === true
          ? moved(context, resolution)
          : this.file(site, request, resolution.file);
      case "read_only":
        return edgePage(request, 405, { headers: [...ALLOW_READING, ...site.common] });
      case "compute":
        return this.#fetchFromServer(context, resolution);
      case "missing": {
        const { page, fallback } = resolution;
        if (fallback !== undefined && isReading(method) && wantsDocument(request)) {
          return this.#fallback(context, fallback);
        }
        if (page === undefined || !isReading(method)) {
          return edgePage(request, 404, { headers: site.common });
        }
        const representation = negotiate(page, request);
        return this.#files.whole(representation, 404, { method, blobs: site.blobs });
      }
    }
  }

  /**
   * Returns the page of a single-page app. Requests that do not accept HTML get a 404, so caches
   * need `Vary`.
   */
  async #fallback({ site, request }: RouteContext, page: StaticFile): Promise<EdgeResponse> {
    const response = await this.file(site, request, page);
    return { ...response, headers: [...response.headers, VARY_ACCEPT] };
  }

  #fetchFromServer(
    context: RouteContext,
    resolution: ComputeResolution,
  ): EdgeResponse | Promise<EdgeResponse> {
    const { site, request, target, use: { caching = "deployment" } } = context;
    const { compute } = site;
    if (compute === undefined) return edgePage(request, 501, { headers: site.common });
    const next = (response: EdgeResponse | Missing): EdgeResponse | Promise<EdgeResponse> =>
      response === "missing"
        ? this.#settle(context, site.content.after(request.method, target.path, resolution))
        : response;
    const response = respondFromCompute({ site, compute, request, target, resolution, caching });
    return response instanceof Promise ? response.then(next) : next(response);
  }

  /**
   * Returns the site's page that replaces an edge page in browsers, with the failure's headers. The
   * page is never cached.
   */
  failurePage(
    site: Site,
    request: PagedRequest,
    response: EdgeResponse,
  ): EdgeResponse | Promise<EdgeResponse> {
    const page = site.content.failurePage(response.status);
    if (page === undefined || !wantsDocument(request)) return response;
    const method = request.method === "HEAD" ? "HEAD" : "GET";
    const shown = this.#files.whole(negotiate(page, request), response.status, {
      method,
      blobs: site.blobs,
    });
    return shown instanceof Promise
      ? shown.then((whole) => asFailure(whole, response))
      : asFailure(shown, response);
  }

  /** Serves a file. The method is `GET` or `HEAD`. */
  file(site: Site, request: PagedRequest, file: StaticFile): EdgeResponse | Promise<EdgeResponse> {
    const method = request.method === "HEAD" ? "HEAD" : "GET";
    const decision = decideStatic(file, method, request);
    switch (decision.type) {
      case "precondition_failed":
        return edgePage(request, 412, { headers: site.common });
      case "unsatisfiable": {
        const range: Header = ["content-range", `bytes */${decision.size}`];
        return edgePage(request, 416, { headers: [range, ...site.common] });
      }
      default:
        return this.#files.perform(decision, { method, blobs: site.blobs });
    }
  }
}
