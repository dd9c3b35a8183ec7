/**
 * From a client's request to the shared request for a page, and from the page to
 * the client's response.
 *
 * @module
 */
import type { CachedResponse } from "../cache/mod.ts";
import type { PageRequest } from "../isr/mod.ts";
import type { HeaderList } from "../messages/mod.ts";
import { canonicalAuthority } from "../request/mod.ts";
import type { EdgeResponse } from "../response/mod.ts";
import {
  hopHeaders,
  type RequestTarget,
  type ServerRequest,
  targetText,
} from "./compute_request.ts";
import { toEdgeResponse } from "./server_response.ts";

const HTML_FIRST = "text/html,*/*;q=0.8";
const ANYTHING = "*/*";

/** `User-Agent` of shared requests. */
const USER_AGENT = "svc-pages";

/** The field with the client's address, which a shared request does not have. */
const CLIENT_ADDRESS = "x-forwarded-for";

/**
 * Sorts the parameters by name, so that all orders of a query share a page;
 * parameters of the same name keep their order.
 */
export function sortedQuery(query: string): string {
  if (!query.includes("&")) return query;
  const name = (parameter: string) => parameter.split("=", 1)[0]!;
  return query.split("&").filter((parameter) => parameter !== "")
    .map((parameter) => ({ parameter, name: name(parameter) }))
    .sort((left, right) => left.name < right.name ? -1 : left.name > right.name ? 1 : 0)
    .map(({ parameter }) => parameter).join("&");
}

/** The request for a page that may be stored. */
export function pageRequest(request: ServerRequest, target: RequestTarget): PageRequest {
  const query = sortedQuery(target.query);
  const asked = targetText({ path: target.path, query });
  const accept = request.header("accept")?.includes("text/html") ? HTML_FIRST : ANYTHING;
  const { scheme, ip, id } = request;
  // All spellings of a host share a page.
  const authority = canonicalAuthority(request.authority);
  return {
    method: request.method,
    header: (name) => request.header(name) ?? undefined,
    key: `${accept === ANYTHING ? "*" : "h"} ${scheme}://${authority}${asked}`,
    path: target.path,
    hasQuery: query !== "",
    isPrivate: request.header("authorization") !== null,
    sharedRequest: () => ({
      method: "GET",
      target: asked,
      headers: [
        ...hopHeaders({ authority, scheme, ip, id }).filter(([name]) => name !== CLIENT_ADDRESS),
        ["accept", accept],
        ["user-agent", USER_AGENT],
        ["x-request-id", id],
      ],
      body: null,
      requestId: id,
    }),
  };
}

/** The response with the fields of the site, and without a body that its method or status forbids. */
export function pageResponse(
  response: CachedResponse,
  { request, site }: {
    readonly request: ServerRequest;
    readonly site: { readonly common: HeaderList };
  },
): EdgeResponse {
  const { status, headers, body, bytes, text } = response;
  if (body !== null && text === undefined) {
    return toEdgeResponse(request.method, { status, headers, body }, site.common);
  }
  return { status, headers: [...headers, ...site.common], body: text ?? body, bytes };
}
