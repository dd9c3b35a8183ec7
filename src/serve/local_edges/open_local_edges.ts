/** The edges that share the port of a platform, by its settings. @module */
import { join } from "node:path";
import { isS3Place } from "../../lib/is_s3_place.ts";
import type { DataDir } from "../../platform/core/store/mod.ts";
import { ordersCertificates } from "../../platform/domains/mod.ts";
import type { LocalEdgeLink } from "../../platform/edges/mod.ts";
import type { CacheSizes } from "../cache_sizes.ts";
import type { Listeners } from "../listeners.ts";
import type { CompleteOptions } from "../options.ts";
import { LocalEdges } from "./local_edges.ts";

/** `auto` gives edges to machines with more processors. */
const FEW_PROCESSORS = 2;

/** Number of edges. HTTPS stays with the platform, so `auto` is none if it has any. */
export function edgeCount(
  options: CompleteOptions,
  processors = navigator.hardwareConcurrency,
): number {
  const { edges, tls } = options;
  if (edges !== "auto") return edges;
  const isSecure = tls !== undefined || ordersCertificates(options);
  const isAlone = isSecure || processors <= FEW_PROCESSORS || Deno.build.os !== "linux";
  return isAlone ? 0 : Math.floor(processors / 2);
}

/** Creates the edges of a platform; `undefined` if there are none. */
export function openLocalEdges(
  options: CompleteOptions,
  { link, dataDir, sizes, listeners: { port, originPort } }: {
    readonly link: LocalEdgeLink;
    readonly dataDir: DataDir;
    readonly sizes: CacheSizes;
    readonly listeners: Pick<Listeners, "port" | "originPort">;
  },
): LocalEdges | undefined {
  if (originPort === undefined) return undefined;
  const { host, geoip, asn, connections, version, blobs = dataDir.blobs } = options;
  const count = edgeCount(options);
  return new LocalEdges({
    count,
    link,
    env: options.env,
    log: options.log,
    setup: {
      originPort,
      host,
      port,
      files: isS3Place(blobs) ? undefined : blobs,
      cacheDir: join(dataDir.cache, "edges"),
      cacheBytes: Math.floor(options.blobCacheBytes / count),
      memoryBytes: Math.floor(sizes.files / count),
      responseBytes: Math.floor(sizes.responses / count),
      trustProxy: [...options.trustProxy],
      geoip,
      asn,
      connections,
      version,
    },
  });
}
