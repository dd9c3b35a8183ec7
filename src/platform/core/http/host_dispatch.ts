/**
 * Where a request goes: to a pending challenge, the API, a redirect, or the
 * edge.
 *
 * @module
 */
import { redirectToHost, redirectToHttps } from "./redirect.ts";
import type { ClientConnection, ConnectionHandler } from "../listener/mod.ts";
import { hostnameOf } from "./hostname.ts";

type Answer = Response | Promise<Response>;

export interface HostDispatchOptions {
  readonly isApi: (hostname: string) => boolean;
  readonly api: (request: Request, remoteAddress: string) => Answer;
  readonly edge: (request: Request, connection: ClientConnection) => Answer;
  readonly hosts: {
    /** The hostname that a domain's visitors are sent to, where it only redirects. */
    redirectOf(hostname: string): string | undefined;
  };
  readonly challenges: {
    /** The answer to a certificate authority that asks for a pending challenge. */
    answer(url: string): Response | undefined;
  };
  /**
   * True for a hostname whose visitors are to come by HTTPS; missing where
   * HTTPS has not its own port, so that nobody can be sent there.
   */
  readonly wantsHttps?: (hostname: string) => boolean;
}

/** Makes the handlers of the plain and of the secure listener. */
export function createHostDispatch(
  options: HostDispatchOptions,
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
