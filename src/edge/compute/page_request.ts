/**
 * From a client's request to the request for everyone, and back to an answer.
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

/** Who asks for everyone. */
const USER_AGENT = "svc-pages";

/** Field of the client's address, which a page for everyone is not told. */
const CLIENT_ADDRESS = "x-forwarded-for";

/**
 * The parameters in the order of their names, so that all spellings of a query
 * share a page; parameters of one name keep their order.
 */
export function sortedQuery(query: string): string {
  if (!query.includes("&")) return query;
  const name = (parameter: string) => parameter.split("=", 1)[0]!;
  return query.split("&").filter((parameter) => parameter !== "")
    .map((parameter) => ({ parameter, name: name(parameter) }))
    .sort((left, right) => left.name < right.name ? -1 : left.name > right.name ? 1 : 0)
    .map(({ parameter }) => parameter).join("&");
}

/** Reads a request as one for a page that may be kept. */
export function pageRequest(request: ServerRequest, target: RequestTarget): PageRequest {
  const query = sortedQuery(target.query);
  const asked = targetText({ path: target.path, query });
  const accept = request.header("accept")?.includes("text/html") ? HTML_FIRST : ANYTHING;
  const { scheme, ip, id } = request;
  // Every spelling of the host shares a page.
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

/** The answer with the fields of the site. A client's own answer may have a body that it can not have. */
export function pageResponse(
  answer: CachedResponse,
  { request, site }: {
    readonly request: ServerRequest;
    readonly site: { readonly common: HeaderList };
  },
): EdgeResponse {
  const { status, headers, body, bytes, text } = answer;
  if (body !== null && text === undefined) {
    return toEdgeResponse(request.method, { status, headers, body }, site.common);
  }
  return { status, headers: [...headers, ...site.common], body: text ?? body, bytes };
}
