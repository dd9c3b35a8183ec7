/**
 * @module Finds the deployment of the page that a request comes from. Frameworks name it in a
 * header or the query. For sites with servers, the edge sets a cookie on pages.
 */
import { VERSION_FILES } from "../manifest/mod.ts";
import { gateCookieName, gateCookieValues } from "./access/gate_cookies.ts";
import { findHeader, type Header } from "./messages/header_list.ts";
import { isReading } from "./messages/messages.ts";
import type { ClientRequest } from "./request/client_request.ts";
import { keptPrivate } from "./response/lifetime_fields.ts";
import type { EdgeResponse } from "./response/edge_response.ts";
import type { PagePin, RequestContext } from "./request_context.ts";
import type { Site } from "./site/site.ts";
import { isLastingAsset } from "./static/cache_control.ts";

/** Name of the cookie with the ID of the deployment that served the browser's last page. */
const COOKIE = "svc_deployment";

/**
 * Next.js sends this header with requests from a page. Astro does so too, with an adapter's
 * headers.
 */
const HEADER = "x-deployment-id";

/** The query parameter that Next.js adds to the URLs of assets and images. */
const QUERY = /(?:^|&)dpl=([^&]*)/;

/**
 * Nuxt adds its build ID to the URLs of payloads, as `_b` or, in older versions, as the whole
 * query.
 */
const PAYLOAD = /\/_payload\.js(?:on)?$/;
const PAYLOAD_ID = /(?:^|&)_b=([^&]*)|^([^&=]+)$/;

/**
 * Returns the build ID in the query of a payload's URL. A payload that is fetched again has a
 * timestamp instead.
 */
function payloadIdOf({ rawQuery, rawPath }: ClientRequest): string | undefined {
  if (rawQuery === "" || !PAYLOAD.test(rawPath)) return undefined;
  const [, named, whole] = PAYLOAD_ID.exec(rawQuery) ?? [];
  const id = named ?? whole ?? "";
  return /^\d*$/.test(id) ? undefined : id;
}

/** Whether a browser is opening a page. Pages always come from the live deployment. */
function opensPage(request: ClientRequest): boolean {
  return isReading(request.method) && request.header("sec-fetch-mode") === "navigate";
}

/** Returns the deployment ID in a request from a page, or `undefined` if the request has none. */
export function pagePinOf(request: ClientRequest, site: Site): PagePin | undefined {
  if (opensPage(request)) return undefined;
  const header = request.header(HEADER);
  if (header !== null) return { pageId: header, isInUrl: false };
  const inUrl = QUERY.exec(request.rawQuery)?.[1] ?? payloadIdOf(request);
  return inUrl === undefined ? cookiePinOf(request, site) : { pageId: inUrl, isInUrl: true };
}

/**
 * Returns the deployment ID in the cookie. The ID only counts if the browser says that the request
 * comes from a page. It does not count for assets, which come from any deployment that has them, or
 * for files that state the live version.
 */
function cookiePinOf(request: ClientRequest, site: Site): PagePin | undefined {
  if (!hasPageCookie(site) || request.header("sec-fetch-mode") === null) return undefined;
  const { rawPath } = request;
  if (isLastingAsset(rawPath) || VERSION_FILES.some((file) => rawPath.endsWith(`/${file}`))) {
    return undefined;
  }
  const pageId = cookieOf(request);
  return pageId === undefined ? undefined : { pageId, isInUrl: false };
}

function cookieOf(request: ClientRequest): string | undefined {
  const name = gateCookieName(COOKIE, request.scheme);
  return gateCookieValues(request.gateField("cookie"), name)[0];
}

/**
 * Whether the pages of a site get the cookie: only in production, if the site has servers and
 * earlier deployments can serve their pages.
 */
export const hasPageCookie = ({ hasServers, isProduction, skewMs }: Site): boolean =>
  isProduction && hasServers && skewMs > 0;

/** Returns a `Cookie` field without the page cookie, or null if nothing is left. */
export function withoutPageCookie(header: string): string | null {
  if (!header.includes(COOKIE)) return header;
  const kept = header.split(";").map((part) => part.trim())
    .filter((pair) => pair !== "" && !/^(?:__Host-)?svc_deployment=/.test(pair));
  return kept.length === 0 ? null : kept.join("; ");
}

/**
 * Adds the deployment's cookie to a page. Keeps other caches from storing responses that are meant
 * for pages of an earlier deployment.
 */
export function finishPage(context: RequestContext, response: EdgeResponse): EdgeResponse {
  const { clientRequest, site, pin } = context;
  const answer = pin === undefined || pin.isInUrl
    ? response
    : { ...response, headers: keptPrivate(response.headers) };
  if (!hasPageCookie(site) || !isPage(answer)) return answer;
  if (clientRequest.header("sec-fetch-dest") !== "document") return answer;
  const { deploymentId } = site;
  if (cookieOf(clientRequest) === deploymentId) return answer;
  const { scheme } = clientRequest;
  const secure = scheme === "https" ? "; Secure" : "";
  const cookie: Header = [
    "set-cookie",
    `${gateCookieName(COOKIE, scheme)}=${deploymentId}; Path=/; HttpOnly; SameSite=Lax${secure}`,
  ];
  return { ...answer, headers: [...answer.headers, cookie] };
}

function isPage({ status, headers }: EdgeResponse): boolean {
  if (status === 304) return true;
  return findHeader(headers, "content-type")?.startsWith("text/html") === true;
}
