/** Creates the edges that share a platform's port, according to its settings. @module */
import { join } from "node:path";
import { machineMemory } from "../../lib/machine_memory.ts";
import { isS3Place } from "../../lib/is_s3_place.ts";
import type { DataDir } from "../../platform/core/store/mod.ts";
import { ordersCertificates } from "../../platform/domains/mod.ts";
import type { LocalEdgeLink } from "../../platform/edges/mod.ts";
import type { CacheSizes } from "../cache_sizes.ts";
import type { Listeners } from "../listeners.ts";
import type { CompleteOptions } from "../options.ts";
import { LocalEdges } from "./local_edges.ts";

/** With at most this many processors, `auto` starts no edges. */
const FEW_PROCESSORS = 2;
/** Minimum amount of memory per edge with `auto`, in bytes. An edge uses about 70 MB. */
const MEMORY_PER_EDGE = 1024 ** 3;
const MOST_EDGES = 256;

export interface Machine {
  /** Number of processors that this process can use, given the limits of its control group. */
  readonly processors: number;
  /** Size of the memory in bytes. */
  readonly memory: number;
  readonly os: typeof Deno.build.os;
}

const thisMachine = (): Machine => ({
  processors: navigator.hardwareConcurrency,
  memory: machineMemory(),
  os: Deno.build.os,
});

/**
 * Returns the number of edges. Only the platform serves HTTPS, so `auto` is 0 if HTTPS is enabled.
 */
export function edgeCount(options: CompleteOptions, machine = thisMachine()): number {
  const { edges, tls } = options;
  if (edges !== "auto") return edges;
  const { processors, memory, os } = machine;
  const isSecure = tls !== undefined || ordersCertificates(options);
  if (isSecure || processors <= FEW_PROCESSORS || os !== "linux") return 0;
  return Math.min(Math.floor(processors / 2), Math.floor(memory / MEMORY_PER_EDGE), MOST_EDGES);
}

/** Creates a platform's edges. Returns `undefined` if there are none. */
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
