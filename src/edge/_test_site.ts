/** @module An in-memory site with an edge in front of it, for tests and benches. */
import { type Clock, systemRandom } from "../lib/clock.ts";
import { OutboundError } from "../runtime/mod.ts";
import type { AccessRecord } from "./access_record.ts";
import type { BlobReader } from "./blobs/blob_reader.ts";
import { createHttpCache } from "./cache/http_cache.ts";
import type { SiteCompute } from "./compute/compute_responder.ts";
import { createEdge } from "./edge.ts";
import type { EdgeOptions } from "./edge_options.ts";
import type { SiteFunctions } from "./pipeline/function_runner.ts";
import { compileSite, type Site } from "./site/site.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { Manifest } from "../manifest/mod.ts";
import { normalizeRules, type Rule, type RuntimeRuleSet, SCHEMA_VERSION } from "../rules/mod.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Content of a site by path. Text is stored as UTF-8. */
export type Files = Readonly<Record<string, string | Bytes>>;

/** One STATIC layer for the whole output, as `deploy` generates it. */
export const STATIC_MANIFEST: Manifest = {
  version: 1,
  layers: [{ name: "static", target: "STATIC", directory: "." }],
  routes: [{ pattern: ".*", layer: "static" }],
};

/** Blobs in memory. Counts the reads, and can be emptied or damaged through `content`. */
export class MemoryBlobs implements BlobReader {
  readonly content = new Map<string, Bytes>();
  reads = 0;
  streams = 0;

  read(sha256: string): Promise<Bytes> {
    this.reads++;
    const bytes = this.content.get(sha256);
    return bytes === undefined
      ? Promise.reject(new Error(`Blob ${sha256} is missing`))
      : Promise.resolve(bytes);
  }

  async stream(
    sha256: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<ReadableStream<Bytes>> {
    this.streams++;
    const bytes = await this.read(sha256);
    const part = range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
    return ReadableStream.from(chunksOf(part));
  }
}

function* chunksOf(bytes: Bytes): Generator<Bytes> {
  const size = 64 * 1024;
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.slice(at, at + size);
}

/** Returns the normalized form of rules that are given as an author writes them. */
export function runtimeRules(rules: readonly Rule[]): RuntimeRuleSet {
  return normalizeRules({ schemaVersion: SCHEMA_VERSION, rules });
}

export interface TestSiteOptions {
  readonly manifest?: Manifest;
  readonly rules?: readonly Rule[];
  readonly functions?: SiteFunctions;
  readonly compute?: SiteCompute;
  /** The deployment's ID. Set it to create another deployment of the same project. */
  readonly deploymentId?: string;
}

/** Returns a compiled site with the blobs that it reads. */
export function testSite(
  files: Files,
  options: TestSiteOptions = {},
): { readonly site: Site; readonly blobs: MemoryBlobs } {
  const blobs = new MemoryBlobs();
  const siteFiles = Object.entries(files).map(([path, content]) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const sha256 = sha256Hex(bytes);
    blobs.content.set(sha256, bytes);
    return { path, sha256, size: bytes.byteLength };
  });
  const site = compileSite({
    deploymentId: options.deploymentId ?? "deployment-1",
    projectId: "project-1",
    manifest: options.manifest ?? STATIC_MANIFEST,
    files: siteFiles,
    rules: options.rules === undefined ? null : runtimeRules(options.rules),
    blobs,
    functions: options.functions,
    compute: options.compute,
  });
  return { site, blobs };
}

/** The connection of a request, for tests in which the connection matters. */
interface TestConnection {
  readonly from?: string;
  /** Scheme of the listener. Defaults to the scheme of the URL. */
  readonly scheme?: "http" | "https";
}

export interface TestEdge {
  /** Sends a request. A path is requested from `site.test`. */
  fetch(url: string, init?: RequestInit & TestConnection): Promise<Response>;
  readonly records: AccessRecord[];
  readonly errors: unknown[];
}

/** Returns options for tests that send no requests to other sites. */
export function noOthers(
  now: Clock = () => Date.UTC(2026, 0, 1),
): Pick<EdgeOptions, "cache" | "outbound"> {
  return {
    cache: createHttpCache({ now }),
    outbound: ({ url }) =>
      Promise.reject(new OutboundError("refused_address", `Unexpected request: ${url}`)),
  };
}

/**
 * Returns an edge that serves one site on `site.test`. Request IDs start at `r1`, and the edge's
 * clock stands still.
 */
export function testEdge(site: Site, options: Partial<EdgeOptions> = {}): TestEdge {
  const records: AccessRecord[] = [];
  const errors: unknown[] = [];
  let count = 0;
  const handle = createEdge({
    resolveHost: (host) => host === "site.test" ? site : undefined,
    record: (entry) => records.push(entry),
    now: () => Date.UTC(2026, 0, 1),
    random: systemRandom,
    ...noOthers(),
    stopwatch: () => 0,
    requestId: () => `r${++count}`,
    onError: (error) => errors.push(error),
    ...options,
  });
  return {
    records,
    errors,
    fetch: async (url, { from = "192.0.2.1", scheme, ...init } = {}) => {
      const absolute = url.startsWith("/") ? `http://site.test${url}` : url;
      return await handle(rawRequest(absolute, init), {
        remoteAddress: from,
        scheme: scheme ?? (absolute.startsWith("https:") ? "https" : "http"),
      });
    },
  };
}

/**
 * Returns a request whose URL is exactly the given text, as with `Deno.serve`. The constructor of
 * `Request` would resolve the URL.
 */
export function rawRequest(url: string, init: RequestInit): Request {
  const request = new Request("http://site.test/", init);
  Object.defineProperty(request, "url", { value: url });
  return request;
}
