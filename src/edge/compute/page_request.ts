/** @module Converts a client's request to the shared request for a page, and its response back. */
import type { ComputeRequest } from "../../runtime/mod.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { CachedResponse, VaryField } from "../cache/types.ts";
import type { PageRequest } from "../isr/types.ts";
import { ROUTER_FIELDS } from "../isr/decide_page.ts";
import type { Header, HeaderList } from "../messages/header_list.ts";
import type { EdgeResponse } from "../response/edge_response.ts";
import {
  hopHeaders,
  type RequestTarget,
  type ServerRequest,
  targetText,
} from "./compute_request.ts";
import { toEdgeResponse } from "./server_response.ts";

const HTML_FIRST = "text/html,*/*;q=0.8";
const ANYTHING = "*/*";

/** Value of `User-Agent` in shared requests. */
const USER_AGENT = "svc-pages";

/** The field with the client's address, which is absent from shared requests. */
const CLIENT_ADDRESS = "x-forwarded-for";

/**
 * Sorts the parameters by name, because every order must lead to the same page. Parameters with the
 * same name keep their order.
 */
function sortedQuery(query: string): string {
  if (!query.includes("&")) return query;
  const name = (parameter: string) => parameter.split("=", 1)[0]!;
  return query.split("&").filter((parameter) => parameter !== "")
    .map((parameter) => ({ parameter, name: name(parameter) }))
    .sort((left, right) => left.name < right.name ? -1 : left.name > right.name ? 1 : 0)
    .map(({ parameter }) => parameter).join("&");
}

/** Cookies that turn on draft mode in Next.js for an editor. */
const PREVIEW_COOKIE = /(?:^|;\s*)__(?:prerender_bypass|next_preview_data)=/;

/** Maximum length of a value that becomes part of a key as is, in characters. */
const MAX_KEY_VALUE = 128;

function showsDrafts(request: ServerRequest): boolean {
  const cookies = request.header("cookie");
  return cookies !== null && PREVIEW_COOKIE.test(cookies);
}

/**
 * Returns the fields that the Next.js router sends when it requests a page's data. A request for
 * the page's HTML has none of them.
 */
function routerFields(request: ServerRequest): readonly Header[] {
  if (request.header("rsc") === null) return [];
  return ROUTER_FIELDS.flatMap((name): Header[] => {
    const value = request.header(name);
    return value === null ? [] : [[name, value]];
  });
}

function keyOfFields(fields: readonly Header[]): string {
  if (fields.length === 0) return "";
  const values = fields.map(([name, value]) =>
    `${name}=${value.length > MAX_KEY_VALUE ? sha256Hex(value) : value}`
  );
  return ` ${JSON.stringify(values)}`;
}

/**
 * Returns the shared request. It contains only the scheme, authority, target and given header fields
 * of the client's request.
 */
function sharedRequest(
  { scheme, ip, id }: ServerRequest,
  { authority, target, fields }: {
    readonly authority: string;
    readonly target: string;
    readonly fields: readonly Header[];
  },
): ComputeRequest {
  return {
    method: "GET",
    target,
    headers: [
      ...hopHeaders({ authority, scheme, ip, id }).filter(([name]) => name !== CLIENT_ADDRESS),
      ...fields,
      ["x-request-id", id],
    ],
    body: null,
    requestId: id,
  };
}

/** Returns the `Accept` value of a shared request, and the text that represents it in the key. */
function acceptOf(request: ServerRequest): { readonly kind: string; readonly accept: string } {
  const isForHtml = request.header("accept")?.includes("text/html") === true;
  return isForHtml ? { kind: "h", accept: HTML_FIRST } : { kind: "*", accept: ANYTHING };
}

/** Returns the request for a page on a route with `revalidate`. */
export function pageRequest(request: ServerRequest, target: RequestTarget): PageRequest {
  const query = sortedQuery(target.query);
  const asked = targetText({ path: target.path, query });
  const { kind, accept } = acceptOf(request);
  const { authority } = request;
  const ofRouter = routerFields(request);
  const key = `${kind} ${request.scheme}://${authority}${asked}${keyOfFields(ofRouter)}`;
  return {
    method: request.method,
    header: (name) => request.header(name) ?? undefined,
    key,
    path: target.path,
    hasQuery: query !== "" || ofRouter.length > 0,
    isDeclared: false,
    isPrivate: request.header("authorization") !== null || showsDrafts(request),
    sharedRequest: () =>
      sharedRequest(request, {
        authority,
        target: asked,
        fields: [["accept", accept], ["user-agent", USER_AGENT], ...ofRouter],
      }),
  };
}

/**
 * Whether only the server can respond. This is the case if the request has a body, has conditions
 * for the server, or must not be stored.
 */
function isForServer(request: ServerRequest): boolean {
  const length = request.header("content-length");
  return (length !== null && length.trim() !== "0") ||
    request.header("transfer-encoding") !== null || request.header("if-match") !== null ||
    request.header("if-unmodified-since") !== null ||
    request.header("cache-control")?.includes("no-store") === true;
}

/** Returns the request for a page whose response declares its own lifetime. */
export function declaredRequest(request: ServerRequest, target: RequestTarget): PageRequest {
  const { authority } = request;
  const asked = targetText(target);
  const { kind, accept } = acceptOf(request);
  const selected = (selecting: readonly VaryField[]): Header[] => {
    const fields = selecting.flatMap(({ name, value }): Header[] =>
      value === null ? [] : [[name, value]]
    );
    const isNamed = (wanted: string) => selecting.some(({ name }) => name === wanted);
    if (!isNamed("accept")) fields.push(["accept", accept]);
    if (!isNamed("user-agent")) fields.push(["user-agent", USER_AGENT]);
    return fields;
  };
  const key = `d${kind} ${request.scheme}://${authority}${asked}`;
  return {
    method: request.method,
    header: (name) => request.header(name) ?? undefined,
    key,
    path: target.path,
    hasQuery: target.query !== "",
    isDeclared: true,
    isPrivate: showsDrafts(request) || isForServer(request),
    sharedRequest: (selecting) =>
      sharedRequest(request, { authority, target: asked, fields: selected(selecting) }),
  };
}

/**
 * Returns the response with the site's fields, and without a body if the method or status forbids
 * one.
 */
export function pageResponse(
  response: CachedResponse,
  { request, site }: {
    readonly request: ServerRequest;
    readonly site: { readonly common: HeaderList };
  },
): EdgeResponse {
  const { status, headers, body, bytes, kept } = response;
  if (body !== null && typeof body !== "string") {
    return { ...toEdgeResponse(request.method, { status, headers, body }, site.common), kept };
  }
  return { status, headers: [...headers, ...site.common], body, bytes, kept };
}
