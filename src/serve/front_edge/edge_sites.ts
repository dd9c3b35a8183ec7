/**
 * A front edge's sites. Hosts come from the feed, and deployments are fetched when they are first
 * requested.
 *
 * @module
 */
import pMap from "p-map";
import {
  atHost,
  compileSiteInTurns,
  DomainHosts,
  type HttpCache,
  resolveHost,
  type Site,
  SiteAccess,
  SiteDirectory,
  withRulesInTurns,
} from "../../edge/mod.ts";
import type { AccessState, FeedMessage, HostBinding } from "../../feed/mod.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import { type EdgeShown, edgeShown, edgeSite } from "../../platform/edges/mod.ts";
import type { FilesOfSites } from "./edge_files.ts";
import type { PlatformClient } from "./platform_client.ts";

/** Maximum number of sites to read at the same time. */
const READ_AT_ONCE = 16;

interface EdgeSitesOptions {
  readonly client: PlatformClient;
  readonly files: FilesOfSites;
  /** Cached responses from the platform. */
  readonly cache: Pick<HttpCache, "purge" | "clear" | "repeatInvalidation">;
}

/**
 * The access settings that an edge uses. An edge only needs to know whether a host is protected.
 */
function accessFactsOf({ version, protection, isDown }: AccessState): SiteAccess["facts"] {
  return {
    version,
    protection,
    workspaceId: "",
    passwordId: null,
    bypassHash: null,
    shares: [],
    allowCidrs: [],
    exemptPaths: [],
    exemptOptions: false,
    maintenance: isDown ? { allowCidrs: [] } : null,
  };
}

export class EdgeSites {
  readonly #sites: SiteDirectory;
  readonly #domains = new DomainHosts();
  /** Access settings by project. All of a project's sites share them. */
  readonly #access = new Map<string, SiteAccess>();
  readonly #shown = new SingleFlight<EdgeShown | undefined>();
  /** Counts changes, because a response requested before a change may not include it. */
  #changes = 0;
  #bindings = 0;

  readonly #options: EdgeSitesOptions;

  constructor(options: EdgeSitesOptions) {
    this.#options = options;
    this.#sites = new SiteDirectory({
      load: (target) => this.#load(target),
      asShown: (site, target) => this.#atHost(site, target),
      dispose: () => {},
    });
  }

  /** Returns a host's site, or `undefined` if only the platform knows the site. */
  resolve(hostname: string): Site | undefined | Promise<Site | undefined> {
    const found = resolveHost(hostname, { sites: this.#sites, domains: this.#domains });
    // The platform may still know the site, so the request is passed on.
    return found instanceof Promise ? found.catch(() => undefined) : found;
  }

  /** Returns whether a host serves a deployment or redirects to another host. */
  isHost(hostname: string): boolean {
    return this.#sites.deploymentAt(hostname) !== undefined ||
      this.#domains.find(hostname) !== undefined;
  }

  /**
   * Applies a change. Rejects if the platform does not send everything that the change requires.
   */
  async apply(message: FeedMessage): Promise<void> {
    this.#changes++;
    const { cache } = this.#options;
    switch (message.type) {
      case "host_pointed":
        // With different rules, a site may no longer serve all cached responses of this deployment.
        cache.purge(message.to.deploymentId, { type: "all" });
        return await this.#point(message.hostname, message.to);
      case "host_removed":
        return await this.#sites.remove(message.hostname);
      case "deployment_removed":
        return await this.#sites.removeDeployment(message.deploymentId);
      case "zone_replaced":
        return this.#domains.replaceZone(message.zone, message.bindings);
      case "access_changed":
        return void this.#accessOf(message.projectId, message.access);
      case "cache_purged":
        for (const scope of message.scopes) {
          cache.purge(message.deploymentId, scope, { soft: message.staleSince !== undefined });
        }
        return;
      case "cache_cleared":
        return cache.clear();
      case "cache_invalidated":
        return cache.repeatInvalidation(message.uris);
    }
  }

  /** Replaces all known hosts and immediately rereads the sites in use. */
  async replace(messages: readonly FeedMessage[]): Promise<void> {
    this.#changes++;
    this.#access.clear();
    // Purges may have been missed.
    this.#options.cache.clear();
    const hosts = new Set<string>();
    const zones = new Set<string>();
    for (const message of messages) {
      if (message.type === "host_pointed") hosts.add(message.hostname);
      if (message.type === "zone_replaced") zones.add(message.zone);
    }
    for (const hostname of this.#sites.hostnames()) {
      if (!hosts.has(hostname)) await this.#sites.remove(hostname);
    }
    for (const zone of this.#domains.zones()) {
      if (!zones.has(zone)) this.#domains.replaceZone(zone, []);
    }
    await pMap(messages, (message) => this.apply(message), { concurrency: READ_AT_ONCE });
  }

  /**
   * Points a host to a deployment. A host in use keeps its site until the new site has been read.
   * The order of messages counts, not their versions, because the platform may have been restored
   * from a backup.
   */
  async #point(hostname: string, binding: HostBinding): Promise<void> {
    const to = { ...binding, version: String(++this.#bindings).padStart(16, "0") };
    if (this.#sites.isLoaded(hostname)) await this.#sites.point(hostname, to);
    else await this.#sites.pointLazily(hostname, to);
  }

  async #load({ projectId, deploymentId }: HostBinding): Promise<Site | undefined> {
    const { client, files } = this.#options;
    const found = await client.read(`sites/${projectId}/${deploymentId}`, edgeSite);
    if (found === undefined) return undefined;
    const { workspaceId, ...site } = found;
    const blobs = files.of({ projectId, deploymentId, workspaceId });
    return await compileSiteInTurns({ ...site, deploymentId, projectId, blobs });
  }

  /** Returns a project's access settings: the given settings, unless newer settings are known. */
  #accessOf(projectId: string, state: AccessState): SiteAccess {
    const facts = accessFactsOf(state);
    const known = this.#access.get(projectId);
    if (known !== undefined) {
      known.replace(facts);
      return known;
    }
    const access = new SiteAccess(projectId, facts);
    this.#access.set(projectId, access);
    return access;
  }

  async #atHost(site: Site, { projectId, production }: HostBinding): Promise<Site> {
    const { deploymentId } = site;
    const path = `shown/${projectId}/${deploymentId}?production=${production ? 1 : 0}`;
    const shown = await this.#shown.run(
      `${this.#changes} ${path}`,
      () => this.#options.client.read(path, edgeShown),
    );
    if (shown === undefined) throw new Error(`Deployment ${deploymentId} no longer exists`);
    const access = this.#accessOf(projectId, shown.access);
    const at = atHost(site, { isProduction: production, access });
    return shown.published === null ? at : await withRulesInTurns(at, shown.published);
  }
}
