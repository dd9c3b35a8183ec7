/**
 * Serves front edges: the feed, deployments, and their files. An edge authenticates with its key.
 *
 * @module
 */
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { isSha256 } from "../../lib/hash.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Manifest } from "../../manifest/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { SiteAccess } from "../../edge/mod.ts";
import { formatCount } from "../../lib/format.ts";
import type { Foundation } from "../core/foundation.ts";
import { type KeyPair, wildcardOf } from "../certificates/mod.ts";
import { apiHosts, Failure, readJson, toFailure } from "../core/http/mod.ts";
import { type DeploymentStore, findServed } from "../deployments/mod.ts";
import { canonicalAddress } from "../domains/mod.ts";
import { accessStateOf } from "../previews/mod.ts";
import { sealCertificate } from "./certificate_seal.ts";
import { type OpenFeed, openFeed } from "./edge_feed.ts";
import type { EdgeRegistry } from "./edge_registry.ts";
import type { ServedRequests } from "./served_requests.ts";
import { appliedBody, EDGE_PATHS, type EdgeShown, type EdgeSite, servedBody } from "./wire.ts";

const MAX_BODY = 4096;
/** Maximum number of public addresses per edge. */
const MAX_ADDRESSES = 8;
/**
 * Maximum size of a batch, in bytes: enough for 1,048,576 characters, even if JSON escapes all of
 * them.
 */
const MAX_SERVED_BODY = 8 * 1024 * 1024;

export interface EdgeEndpointParts {
  readonly registry: EdgeRegistry;
  readonly served: Pick<ServedRequests, "take">;
  readonly deployments: DeploymentStore;
  publishedRules(projectId: string): Promise<RuntimeRuleSet | undefined>;
  accessOf(projectId: string, workspaceId: string): Promise<SiteAccess>;
  /**
   * Returns the certificate for a served hostname. The operator's own certificate never leaves its
   * machine.
   */
  certificateOf(hostname: string): KeyPair | undefined | Promise<KeyPair | undefined>;
  /** Hostnames of the API, in addition to IP addresses. */
  readonly apiNames: readonly string[];
  /** Returns whether the platform redirects visitors of some hosts from HTTP to HTTPS. */
  redirectsToHttps(): boolean;
  /** Called when an edge no longer follows the feed, unless the platform is stopping. */
  onLost?(edge: string): void;
}

/** Returns the manifest without the parts that only servers, functions and tasks need. */
function publicManifest(
  { meta: _, checks: __, cron: ___, functionLimits: ____, ...manifest }: Manifest,
): Manifest {
  return {
    ...manifest,
    layers: manifest.layers.map((layer) =>
      layer.target === "COMPUTE" ? { ...layer, runtime: undefined } : layer
    ),
  };
}

/**
 * Returns the DNS names for which a certificate is valid. The runtime's `checkHost()` does not
 * support wildcards.
 */
function namesOf(cert: string): ReadonlySet<string> {
  const { subjectAltName = "" } = new X509Certificate(cert);
  return new Set(subjectAltName.split(", ").map((name) => name.replace(/^DNS:/, "").toLowerCase()));
}

export class EdgeEndpoint {
  /** Keyed by edge and session, so an edge cannot affect the feeds of other edges. */
  readonly #feeds = new Map<string, { readonly edge: string; readonly feed: OpenFeed }>();

  readonly #isApi: (hostname: string) => boolean;
  /** Names of certificates that were withheld. */
  readonly #withheld = new Set<string>();

  readonly #foundation: Pick<Foundation, "feed" | "vault" | "closing" | "now" | "onTrouble">;
  readonly #parts: EdgeEndpointParts;

  constructor(
    foundation: Pick<Foundation, "feed" | "vault" | "closing" | "now" | "onTrouble">,
    parts: EdgeEndpointParts,
  ) {
    this.#foundation = foundation;
    this.#parts = parts;
    this.#isApi = apiHosts(parts.apiNames);
  }

  /** Returns the number of changes that an edge has not applied yet. */
  readonly behind = (edge: string): number =>
    [...this.#feeds.values()].filter((each) => each.edge === edge)
      .reduce((most, { feed }) => Math.max(most, feed.behind), 0);

  /** Handles a request to a path for front edges. */
  readonly answer = async (request: Request, address: string): Promise<Response> => {
    try {
      return await this.#answer(request, address);
    } catch (error) {
      const { status, message, cause } = toFailure(error);
      if (status >= 500 && cause !== undefined) {
        this.#foundation.onTrouble(`Cannot respond to a front edge: ${cause}`);
      }
      return Response.json({ error: message }, {
        status,
        headers: { "cache-control": "no-store" },
      });
    }
  };

  async #answer(request: Request, address: string): Promise<Response> {
    const key = /^Bearer (\S{1,100})$/.exec(request.headers.get("authorization") ?? "")?.[1];
    const edge = key === undefined ? undefined : await this.#parts.registry.find(key);
    if (edge === undefined) {
      throw new Failure("unauthorized", "Send the key of a front edge as a bearer token");
    }
    const { pathname, searchParams } = new URL(request.url);
    const [what = "", projectId = "", deploymentId = "", sha256 = ""] = pathname
      .slice(EDGE_PATHS.length).split("/");
    this.#parts.registry.seen(edge);
    if (request.method === "POST" && what === "applied") return await this.#applied(edge, request);
    if (request.method === "POST" && what === "served") return await this.#served(edge, request);
    if (request.method !== "GET") throw new Failure("method_not_allowed", "Use GET");
    if (what === "feed") {
      const version = searchParams.get("version")?.slice(0, 32) ?? "unknown";
      await this.#place(edge, searchParams);
      return await this.#follow(edge, { address, version });
    }
    if (what === "certificates") {
      return await this.#certificate(projectId, searchParams.get("key") ?? "");
    }
    if (!isUuid(projectId) || !isUuid(deploymentId)) throw new Failure("not_found", "No such path");
    if (what === "sites") return Response.json(await this.#site({ projectId, deploymentId }));
    if (what === "shown") {
      const production = searchParams.get("production") === "1";
      return Response.json(await this.#shown({ projectId, deploymentId, production }));
    }
    if (what === "blobs" && isSha256(sha256)) {
      const isDamaged = searchParams.get("damaged") === "1";
      return await this.#blob({ projectId, deploymentId }, { sha256, isDamaged });
    }
    throw new Failure("not_found", "No such path");
  }

  /** Stores an edge's addresses. If that fails, the edge can still follow the feed. */
  async #place(edge: string, params: URLSearchParams): Promise<void> {
    const given = params.getAll("address");
    if (given.length > MAX_ADDRESSES || given.some((address) => isIP(address) === 0)) {
      throw new Failure("invalid_request", `Send at most ${MAX_ADDRESSES} IP addresses`);
    }
    const addresses = given.map(canonicalAddress);
    const country = /^[A-Z]{2}$/.exec(params.get("country") ?? "")?.[0];
    try {
      if (await this.#parts.registry.place(edge, { addresses, country })) return;
      this.#foundation.onTrouble(
        `Front edge ${edge} reports different public addresses than before. They are not used. If they ` +
          "are correct, remove the edge and add it again",
      );
    } catch (error) {
      this.#foundation.onTrouble(`Cannot store the addresses of front edge ${edge}: ${error}`);
    }
  }

  async #follow(
    edge: string,
    from: { readonly address: string; readonly version: string },
  ): Promise<Response> {
    const { registry, redirectsToHttps } = this.#parts;
    const { feed, closing, now } = this.#foundation;
    if (closing.aborted) throw new Failure("unavailable", "The platform is stopping");
    if (registry.isFull(edge)) {
      throw new Failure("rate_limited", `Too many processes are using the key of ${edge}`);
    }
    const id = registry.idOf(edge);
    const { session, secret, removed, end } = await registry.begin(edge, from);
    const open = openFeed(feed, {
      hello: {
        type: "hello",
        edge,
        session: session.id,
        secret: secret.toBase64(),
        time: now(),
        redirectsToHttps: redirectsToHttps(),
      },
      isApi: this.#isApi,
      isDrained: () => registry.isDrained(edge),
      now,
      signal: AbortSignal.any([removed, closing]),
      onEnd: () => {
        this.#feeds.delete(`${edge} ${session.id}`);
        end();
        const isSame = registry.idOf(edge) === id;
        if (isSame && !closing.aborted) this.#parts.onLost?.(edge);
      },
    });
    this.#feeds.set(`${edge} ${session.id}`, { edge, feed: open });
    return new Response(open.body, {
      headers: { "content-type": "application/x-ndjson", "cache-control": "no-store" },
    });
  }

  async #certificate(hostname: string, key: string): Promise<Response> {
    if (!/^[0-9a-f]{64}$/.test(key)) throw new Failure("invalid_request", "Send a public key");
    const isOfSite = /^[\w.-]{1,253}$/.test(hostname) && !this.#isApi(hostname);
    const pair = isOfSite ? await this.#parts.certificateOf(hostname) : undefined;
    if (pair === undefined) throw new Failure("not_found", "The host has no certificate");
    this.#requireNotOfApi(pair);
    const sealed = await sealCertificate(pair, { hostname, to: Uint8Array.fromHex(key) });
    return Response.json(sealed, { headers: { "cache-control": "no-store" } });
  }

  /** @throws {Failure} if a certificate is also valid for the API, which is logged only once */
  #requireNotOfApi({ cert }: KeyPair): void {
    const names = namesOf(cert);
    const covered = this.#parts.apiNames.map((name) => name.toLowerCase())
      .find((name) => names.has(name) || names.has(wildcardOf(name)));
    if (covered === undefined) return;
    const withheld = [...names].join(", ");
    if (!this.#withheld.has(withheld)) {
      this.#withheld.add(withheld);
      this.#foundation.onTrouble(
        `Front edges do not get the certificate of ${withheld}: it is also valid for ${covered}, ` +
          "where the API responds",
      );
    }
    throw new Failure("not_found", "The host's certificate is also valid for the API");
  }

  async #applied(edge: string, request: Request): Promise<Response> {
    const parsed = appliedBody.safeParse((await readJson(request, MAX_BODY)).value);
    if (!parsed.success) throw new Failure("invalid_request", "Send the fields session and place");
    const { session, place } = parsed.data;
    const found = this.#feeds.get(`${edge} ${session}`);
    if (found === undefined) throw new Failure("not_found", "The session has ended");
    found.feed.applied(place);
    return new Response(null, { status: 204 });
  }

  async #served(edge: string, request: Request): Promise<Response> {
    const parsed = servedBody.safeParse((await readJson(request, MAX_SERVED_BODY)).value);
    if (!parsed.success) throw new Failure("invalid_request", "Send a batch of requests");
    this.#parts.registry.noteRoundTrip(edge, parsed.data.roundTripMs);
    const leftOut = await this.#parts.served.take(edge, parsed.data);
    if (leftOut > 0) {
      this.#foundation.onTrouble(
        `Dropped ${formatCount(leftOut, "request")} that front edge ${edge} reported`,
      );
    }
    return new Response(null, { status: 204 });
  }

  async #find(of: { readonly projectId: string; readonly deploymentId: string }) {
    const { deployments } = this.#parts;
    const found = await findServed({ deployments, vault: this.#foundation.vault }, of);
    if (found === undefined) throw new Failure("not_found", "The deployment is not served");
    return found;
  }

  async #site(of: { projectId: string; deploymentId: string }): Promise<EdgeSite> {
    const { deployment, content: { manifest, files, rules } } = await this.#find(of);
    const { workspaceId } = deployment;
    return { workspaceId, manifest: publicManifest(manifest), files: [...files], rules };
  }

  async #shown(
    { production, ...of }: { projectId: string; deploymentId: string; production: boolean },
  ): Promise<EdgeShown> {
    const { publishedRules, accessOf } = this.#parts;
    const { deployment: { projectId, workspaceId } } = await this.#find(of);
    const { facts } = await accessOf(projectId, workspaceId);
    const published = production ? await publishedRules(projectId) : undefined;
    return { access: accessStateOf(facts), published: published ?? null };
  }

  /** Returns a file. Verifies the file first if the edge has reported it as damaged. */
  async #blob(
    of: { projectId: string; deploymentId: string },
    { sha256, isDamaged }: { readonly sha256: string; readonly isDamaged: boolean },
  ): Promise<Response> {
    const { content, blobs } = await this.#find(of);
    if (!content.files.some((file) => file.sha256 === sha256)) {
      throw new Failure("not_found", "The deployment has no such file");
    }
    if (isDamaged) await blobs.reportDamage(sha256);
    return new Response(await blobs.stream(sha256), {
      headers: { "content-type": "application/octet-stream", "cache-control": "no-store" },
    });
  }
}
