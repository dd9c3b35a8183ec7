/**
 * Where a request goes: to a pending challenge, the API, a redirect, or the
 * edge.
 *
 * @module
 */
import { redirectToHost, redirectToHttps } from "../domains/redirect.ts";
import type { DomainHosts } from "../domains/domain_hosts.ts";
import type { Http01Challenges } from "../tls/challenges.ts";
import { hostnameOf } from "./hostname.ts";

type Answer = Response | Promise<Response>;

export interface FrontOptions {
  readonly isApi: (hostname: string) => boolean;
  readonly api: (request: Request, remoteAddress: string) => Answer;
  readonly edge: (request: Request, remoteAddress: string) => Answer;
  readonly hosts: DomainHosts;
  readonly challenges: Http01Challenges;
  /**
   * True for a hostname whose visitors are to come by HTTPS; missing where
   * HTTPS has not its own port, so that nobody can be sent there.
   */
  readonly wantsHttps?: (hostname: string) => boolean;
}

export type Front = (request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>) => Answer;

/** Makes the handlers of the plain and of the secure listener. */
export function createFront(
  options: FrontOptions,
): { readonly http: Front; readonly https: Front } {
  const { isApi, api, edge, hosts, challenges, wantsHttps } = options;
  const https: Front = (request, info) => {
    const hostname = hostnameOf(request.url);
    if (isApi(hostname)) return api(request, info.remoteAddr.hostname);
    const redirect = hosts.redirectOf(hostname);
    if (redirect !== undefined) return redirectToHost(request.url, redirect);
    return edge(request, info.remoteAddr.hostname);
  };
  const http: Front = (request, info) => {
    const challenge = challenges.answer(request.url);
    if (challenge !== undefined) return challenge;
    if (wantsHttps?.(hostnameOf(request.url))) return redirectToHttps(request.url);
    return https(request, info);
  };
  return { http, https };
}
