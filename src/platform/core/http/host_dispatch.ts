/**
 * Where a request goes: to a pending challenge, the API, a redirect, or the
 * edge.
 *
 * @module
 */
import { redirectToHost, redirectToHttps } from "./redirect.ts";
import type { DomainHosts } from "../../domains/domain_hosts.ts";
import type { ClientConnection, ConnectionHandler } from "../listener/mod.ts";
import type { Http01Challenges } from "../../certificates/challenges.ts";
import { hostnameOf } from "./hostname.ts";

type Answer = Response | Promise<Response>;

export interface FrontOptions {
  readonly isApi: (hostname: string) => boolean;
  readonly api: (request: Request, remoteAddress: string) => Answer;
  readonly edge: (request: Request, connection: ClientConnection) => Answer;
  readonly hosts: DomainHosts;
  readonly challenges: Http01Challenges;
  /**
   * True for a hostname whose visitors are to come by HTTPS; missing where
   * HTTPS has not its own port, so that nobody can be sent there.
   */
  readonly wantsHttps?: (hostname: string) => boolean;
}

/** Makes the handlers of the plain and of the secure listener. */
export function createFront(
  options: FrontOptions,
): { readonly http: ConnectionHandler; readonly https: ConnectionHandler } {
  const { isApi, api, edge, hosts, challenges, wantsHttps } = options;
  const https: ConnectionHandler = (request, connection) => {
    const hostname = hostnameOf(request.url);
    if (isApi(hostname)) return api(request, connection.remoteAddress);
    const redirect = hosts.redirectOf(hostname);
    if (redirect !== undefined) {
      return redirectToHost(request.url, { hostname: redirect, scheme: connection.scheme });
    }
    return edge(request, connection);
  };
  const http: ConnectionHandler = (request, connection) => {
    const challenge = challenges.answer(request.url);
    if (challenge !== undefined) return challenge;
    if (wantsHttps?.(hostnameOf(request.url))) return redirectToHttps(request.url);
    return https(request, connection);
  };
  return { http, https };
}
