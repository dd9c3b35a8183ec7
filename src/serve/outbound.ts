/**
 * Sends the platform's requests to other machines, and functions' requests to other machines and to
 * the platform's own hosts.
 *
 * @module
 */
import type { Addresses } from "../platform/core/addresses.ts";
import type { ShownHosts } from "../platform/core/foundation.ts";
import {
  createOutboundFetch,
  type LocalRoute,
  type OutboundFetch,
  type OutboundOptions,
} from "../runtime/mod.ts";
import type { Closers } from "./closers.ts";
import type { CompleteOptions } from "./options.ts";

type OutboundSettings = Pick<
  CompleteOptions,
  "allowPrivateUpstreams" | "upstreamCa" | "upstreamTimes"
>;

export const outboundOptions = (options: OutboundSettings): OutboundOptions => ({
  allowPrivate: options.allowPrivateUpstreams,
  caCerts: options.upstreamCa,
  ...options.upstreamTimes,
});

/**
 * Creates the `fetch` for functions. Requests to the platform's own hosts go to the edge through
 * loopback ports.
 */
export function openFunctionOutbound(
  options: OutboundSettings,
  closers: Closers,
  { addresses, shownHosts, localRoutes }: {
    readonly addresses: Pick<Addresses, "includes" | "isPublic">;
    readonly shownHosts: ShownHosts;
    readonly localRoutes: readonly LocalRoute[];
  },
): OutboundFetch {
  const outbound = closers.add(createOutboundFetch({
    ...outboundOptions(options),
    ownRoute({ host, port }) {
      if (!addresses.includes(host)) return undefined;
      if (addresses.isPublic && !shownHosts.has(host)) return undefined;
      const to = localRoutes.find((route) => route.port === port)?.to;
      return to && { hostname: to.host, port: to.port };
    },
  }));
  return outbound.fetch;
}
