/**
 * One request to the dev server: its own pages first, then the edge.
 *
 * @module
 */
import type { EdgeHandler } from "../edge/mod.ts";
import { ASSUME_HEADER, type Assumed, parseAssumed } from "./assumed_client.ts";
import type { FrontHandler } from "./front.ts";
import { isCrossSite, isLocalHost, refusalOf } from "./guard_host.ts";
import {
  opensPage,
  RELOAD_EVENTS_PATH,
  RELOAD_SCRIPT_PATH,
  type ReloadEvents,
  reloadScript,
  wholePageRequest,
  withReload,
} from "./live_reload.ts";
import { PAGE_PATH } from "./page/mod.ts";
import type { ArrivedRequest } from "./request_log.ts";

export interface DevHandlerOptions {
  readonly edge: EdgeHandler;
  /** A host name, beside localhost, under which the project is opened. */
  readonly ownHost: string | undefined;
  /** What is assumed of all clients. */
  readonly assumed: Assumed;
  /** Pages that load again; missing where the project's own server takes care of that. */
  readonly reload: ReloadEvents | undefined;
  readonly showPage: () => Promise<Response>;
  /** Gets each request for the site as it came. */
  readonly arrived: (request: Omit<ArrivedRequest, "country">) => void;
}

const text = (status: number, body: string): Response =>
  new Response(body, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  });

const pathOf = (url: string): string => new URL(url).pathname;

/** Makes the handler. */
export function createDevHandler(options: DevHandlerOptions): FrontHandler {
  const { edge, ownHost, assumed: assumedOfAll, reload, showPage, arrived } = options;

  /** The dev server's own pages, which are for the person at this computer. */
  const showOwn = (request: Request, path: string): Response | Promise<Response> => {
    if (!isLocalHost(new URL(request.url).hostname, ownHost) || isCrossSite(request)) {
      return text(403, "Open this page yourself, on localhost\n");
    }
    if (request.method !== "GET" && request.method !== "HEAD") return text(405, "Use GET\n");
    if (path === PAGE_PATH || path === `${PAGE_PATH}/`) return showPage();
    if (reload !== undefined && path === RELOAD_EVENTS_PATH) return reload.listen();
    if (reload !== undefined && path === RELOAD_SCRIPT_PATH) return reloadScript();
    return text(404, "The dev server has no such page\n");
  };

  return (request, remoteAddress) => {
    const refusal = refusalOf(request, ownHost);
    if (refusal !== undefined) return text(403, refusal);
    const path = pathOf(request.url);
    if (path === PAGE_PATH || path.startsWith(`${PAGE_PATH}/`)) return showOwn(request, path);
    const given = request.headers.get(ASSUME_HEADER);
    const own = given === null ? {} : parseAssumed(given);
    if (typeof own === "string") return text(400, `${own}\n`);
    const assumed = { ...assumedOfAll, ...own };
    const { method, url, headers } = request;
    arrived({
      ...{ method, url, headers: Object.fromEntries(headers) },
      assumed: { ip: remoteAddress, ...assumed },
    });
    const connection = {
      remoteAddress: assumed.ip ?? remoteAddress,
      scheme: "http",
      assumed,
    } as const;
    if (reload === undefined || !opensPage(request)) return edge(request, connection);
    return Promise.resolve(edge(wholePageRequest(request), connection)).then(withReload);
  };
}
