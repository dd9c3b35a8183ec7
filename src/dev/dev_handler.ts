/** @module Handles a request to the dev server: its own pages first, then the edge. */
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
import { PAGE_PATH } from "./page/dev_page.tsx";
import { PROBLEM_HINT, showProblem } from "./page/problem_page.tsx";
import type { ArrivedRequest } from "./request_log.ts";

interface DevHandlerOptions {
  readonly edge: EdgeHandler;
  /** A hostname for the project, in addition to localhost. */
  readonly ownHost: string | undefined;
  /** The simulated properties of all clients. */
  readonly assumed: Assumed;
  /** Makes browsers reload pages. */
  readonly reload: ReloadEvents;
  /**
   * Whether the script reloads the project's pages. The project's own server may do that itself.
   */
  readonly reloadsPages: boolean;
  /** Called when a browser opens a page, because errors from earlier calls no longer matter. */
  readonly opened: () => void;
  /**
   * Returns the reason why the project's own server is unavailable. Returns `undefined` if the
   * server works or there is none.
   */
  readonly problem: () => string | undefined;
  /** The last lines that the project's own server printed. */
  readonly output: () => readonly string[];
  readonly showPage: () => Promise<Response>;
  /** Called with each request for the site, unchanged. */
  readonly arrived: (request: Omit<ArrivedRequest, "country">) => void;
}

const BAD_GATEWAY = 502;

const text = (status: number, body: string): Response =>
  new Response(body, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  });

const pathOf = (url: string): string => new URL(url).pathname;

export function createDevHandler(options: DevHandlerOptions): FrontHandler {
  const { edge, ownHost, assumed: assumedOfAll, reload, reloadsPages, showPage, arrived } = options;

  /** Responds with the dev server's own pages, which are for the person at this computer. */
  const showOwn = (request: Request, path: string): Response | Promise<Response> => {
    if (!isLocalHost(new URL(request.url).hostname, ownHost) || isCrossSite(request)) {
      return text(403, "Open this page on localhost\n");
    }
    if (request.method !== "GET" && request.method !== "HEAD") return text(405, "Use GET\n");
    if (path === PAGE_PATH || path === `${PAGE_PATH}/`) return showPage();
    if (path === RELOAD_EVENTS_PATH) return reload.listen();
    if (path === RELOAD_SCRIPT_PATH) return reloadScript();
    return text(404, "Page not found on the dev server\n");
  };

  /** Shows the problem if the project's own server has exited. */
  const orProblem = async (request: Request, response: Response): Promise<Response> => {
    const problem = response.status === BAD_GATEWAY ? options.problem() : undefined;
    if (problem === undefined) return response;
    await response.body?.cancel();
    return opensPage(request)
      ? withReload(await showProblem(problem, options.output()))
      : text(BAD_GATEWAY, `${problem}. ${PROBLEM_HINT}\n`);
  };

  return async (request, remoteAddress) => {
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
      method,
      url,
      headers: Object.fromEntries(headers),
      assumed: { ip: remoteAddress, ...assumed },
    });
    const connection = {
      remoteAddress: assumed.ip ?? remoteAddress,
      scheme: "http",
      assumed,
    } as const;
    const opens = opensPage(request);
    if (opens) options.opened();
    // A framework has its own overlay, so its pages only get the script if there are problems that
    // the framework does not detect.
    const isChanged = opens && (reloadsPages || reload.hasProblems);
    const response = await edge(isChanged ? wholePageRequest(request) : request, connection);
    if (isChanged || opens && reload.hasProblems) {
      return withReload(await orProblem(request, response));
    }
    return orProblem(request, response);
  };
}
