/**
 * Dispatches a request by host: to a pending challenge, the API, a redirect, or the edge.
 *
 * @module
 */
import { redirectToHost, redirectToHttps } from "./redirect.ts";
import type { ClientConnection, ConnectionHandler } from "../listener/mod.ts";
import { hostnameOf } from "./hostname.ts";

type Answer = Response | Promise<Response>;

/** A connection to the edge; `isOwn` is true if a deployment's server opened the connection. */
interface EdgeConnection extends ClientConnection {
  readonly isOwn?: boolean;
}

interface HostDispatchOptions {
  readonly isApi: (hostname: string) => boolean;
  readonly api: (request: Request, connection: ClientConnection) => Answer;
  readonly edge: (request: Request, connection: EdgeConnection) => Answer;
  readonly hosts: {
    /** Returns the target hostname, if the domain only redirects. */
    redirectOf(hostname: string): string | undefined;
  };
  readonly challenges: {
    /** Returns the response to a certificate authority that checks a pending challenge. */
    answer(request: Request, connection: ClientConnection): Answer | undefined;
  };
  /**
   * Returns whether a hostname's visitors are redirected to HTTPS; missing unless HTTPS uses port
   * 443.
   */
  readonly wantsHttps?: (hostname: string) => boolean;
}

/** Tells servers that request the API at the loopback address to use the public URL. */
const NOT_HERE =
  "This address serves sites to deployments' servers only. Use the public URL for the API";

export interface HostDispatch {
  readonly http: ConnectionHandler;
  readonly https: ConnectionHandler;
  readonly own: ConnectionHandler;
}

export function createHostDispatch(options: HostDispatchOptions): HostDispatch {
  const { isApi, api, edge, hosts, challenges, wantsHttps } = options;
  const https: ConnectionHandler = (request, connection) => {
    const hostname = hostnameOf(request.url);
    if (isApi(hostname)) return api(request, connection);
    const redirect = hosts.redirectOf(hostname);
    if (redirect !== undefined) {
      return redirectToHost(request.url, { hostname: redirect, scheme: connection.scheme });
    }
    return edge(request, connection);
  };
  const http: ConnectionHandler = (request, connection) => {
    const challenge = challenges.answer(request, connection);
    if (challenge !== undefined) return challenge;
    if (wantsHttps?.(hostnameOf(request.url))) return redirectToHttps(request.url);
    return https(request, connection);
  };
  const own: ConnectionHandler = (request, connection) => {
    const hostname = hostnameOf(request.url);
    if (isApi(hostname)) return new Response(`${NOT_HERE}\n`, { status: 403 });
    const redirect = hosts.redirectOf(hostname);
    if (redirect !== undefined) {
      return redirectToHost(request.url, { hostname: redirect, scheme: connection.scheme });
    }
    const { remoteAddress, scheme } = connection;
    return edge(request, {
      remoteAddress,
      scheme,
      isOwn: true,
      hold: (ended) => connection.hold(ended),
      get isGone() {
        return connection.isGone === true;
      },
    });
  };
  return { http, https, own };
}
