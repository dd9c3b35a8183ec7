/**
 * Where requests come in: in the platform's own thread, or in several edge threads
 * that share its ports.
 *
 * @module
 */
import { DEFAULT_ISR_MEMORY_BYTES, makePseudonym, shareCounters, sharePool } from "../edge/mod.ts";
import { systemRandom } from "../lib/clock.ts";
import { FunctionLinks, ServerLinks, shareSlots } from "../runtime/mod.ts";
import { type CacheSizes, filesPerEdge, responseShares } from "./cache_sizes.ts";
import type { Edges } from "../platform/core/foundation.ts";
import { type Listeners, type ListenOptions, openListeners } from "./listeners.ts";
import type { PlatformOptions } from "./options.ts";
import { shareRequestCounts } from "./operations/mod.ts";
import { EdgeThreads } from "./threads/mod.ts";

/** The way in, and the threads behind it, if there are any. */
export interface OpenEdges {
  readonly listeners: Listeners;
  readonly threads: EdgeThreads | undefined;
}

/** What there is to ask where the platform's own thread has the only edge. */
export const NO_EDGES: Edges = {
  collectLines: () => Promise.resolve(),
  collectTraffic: () => Promise.resolve(),
  ruleCounts: () => Promise.resolve([]),
};

/** Hosts of the API, as far as they are known before the ports are. */
export function apiNames(
  { baseDomain, publicUrl, nodeUrl, host }: PlatformOptions,
): readonly string[] {
  const named = [publicUrl, nodeUrl].filter((url) => url !== undefined)
    .map((url) => new URL(url).hostname);
  return [baseDomain, ...named, host, "localhost"];
}

function listenOptions(options: PlatformOptions, takesOver: boolean): ListenOptions {
  const { host, port, httpsPort, connections = {}, trustProxy, tls, acme } = options;
  return {
    ...{ host, port, httpsPort, connections, trustProxy, tls },
    ordersCertificates: acme !== undefined,
    ...{ reusePort: takesOver, takesOver },
  };
}

/**
 * Binds the ports; `takesOver` where another platform of this user listens on them too.
 *
 * @throws {Deno.errors.AddrInUse} when one is taken.
 * @throws {ListenError} when the address is not one of this machine's, or needs more rights.
 */
export async function openEdges(
  options: PlatformOptions,
  { sizes, takesOver }: { readonly sizes: CacheSizes; readonly takesOver: boolean },
): Promise<OpenEdges> {
  const { edgeThreads = 1, geoip, asn, log } = options;
  const listen = listenOptions(options, takesOver);
  if (edgeThreads === 1) {
    return { listeners: await openListeners(listen, log), threads: undefined };
  }
  const shares = responseShares(sizes, edgeThreads);
  // The spare thread is one of those that share memory.
  const slots = shareSlots(edgeThreads + 1);
  const links = new ServerLinks(slots);
  const threads = await EdgeThreads.open({
    ...{ listen, log, count: edgeThreads, links, functions: new FunctionLinks(links) },
    start: {
      ...{ geoip, asn, apiHosts: apiNames(options) },
      ...{ slots, counters: shareCounters(systemRandom) },
      // The platform's own thread counts too.
      requestCounts: shareRequestCounts(edgeThreads + 2),
      staticCacheBytes: filesPerEdge(sizes, edgeThreads),
      bodies: sharePool(shares.platform + DEFAULT_ISR_MEMORY_BYTES),
      cacheBytes: shares.thread,
      pseudonym: makePseudonym(systemRandom),
    },
  });
  return { listeners: threads, threads };
}
