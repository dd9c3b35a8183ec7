/**
 * @module Requests that the platform itself sends to a site's server, such as those for scheduled
 * tasks. These requests bypass rules, the cache and pipelines, and contain header fields that
 * clients cannot send.
 */
import { normalizePath } from "../../rules/mod.ts";
import { hopHeaders } from "../compute/compute_request.ts";
import { discardBody } from "../messages/body.ts";
import type { Header, HeaderList } from "../messages/header_list.ts";
import type { Site } from "./site.ts";

/** A request from the platform itself. */
export interface ServerQuestion {
  readonly method: "GET" | "POST";
  /** The body of a `POST`, which is sent again if the connection is lost. */
  readonly body?: Uint8Array<ArrayBuffer> | undefined;
  /** Path and query. */
  readonly target: string;
  /** Host and port of the site's public URL. */
  readonly authority: string;
  readonly scheme: "http" | "https";
  readonly requestId: string;
  /** Additional header fields, with names in lower case. */
  readonly headers: HeaderList;
  readonly signal: AbortSignal;
}

export type ServerReply =
  /** The response has been read completely. */
  | { readonly type: "answered"; readonly status: number; readonly bytes: number }
  /**
   * The server failed, or its response ended early. `status` is set if the response had started.
   */
  | { readonly type: "failed"; readonly message: string; readonly status?: number }
  /** The site has no route to a server for the path. */
  | { readonly type: "no_server" };

/** The address that the server sees as the client's. */
const OWN_ADDRESS = "127.0.0.1";

function split(target: string): { readonly path: string; readonly query: string } {
  const at = target.indexOf("?");
  return at === -1
    ? { path: target, query: "" }
    : { path: target.slice(0, at), query: target.slice(at + 1) };
}

async function readToEnd(body: ReadableStream<Uint8Array> | null): Promise<number> {
  let bytes = 0;
  for await (const chunk of body ?? []) bytes += chunk.byteLength;
  return bytes;
}

/**
 * Sends a request to the server that the site's routes select for the request's path, and reads the
 * whole response. Starts the server if needed. Never rejects.
 */
export async function askServer(site: Site, question: ServerQuestion): Promise<ServerReply> {
  const { path, query } = split(question.target);
  const normalized = normalizePath(path);
  if (typeof normalized !== "string" || site.compute === undefined) return { type: "no_server" };
  const { method, body: sent } = question;
  let resolution = site.content.resolve(method, normalized);
  while (resolution.type === "compute") {
    const { authority, scheme, requestId: id, headers, signal } = question;
    const result = await site.compute.fetch(resolution.route.layer.name, {
      method,
      target: query === "" ? normalized : `${normalized}?${query}`,
      headers: [
        ...hopHeaders({ authority, scheme, ip: OWN_ADDRESS, id }),
        ["x-request-id", id],
        ...headers,
        ...(sent === undefined
          ? []
          : [["content-length", String(sent.byteLength)] satisfies Header]),
      ],
      body: sent ?? null,
      requestId: id,
      signal: () => signal,
    });
    if (result.type === "failed") return { type: "failed", message: result.message };
    const { status, body, bytes } = result.response;
    if (status === 404 && resolution.route.fallthrough) {
      discardBody(bytes ?? body);
      resolution = site.content.after(method, normalized, resolution);
      continue;
    }
    if (bytes !== undefined) return { type: "answered", status, bytes: bytes.byteLength };
    try {
      return { type: "answered", status, bytes: await readToEnd(body) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { type: "failed", status, message: `Its response was interrupted: ${reason}` };
    }
  }
  return { type: "no_server" };
}
