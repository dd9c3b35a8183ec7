/**
 * What an edge thread knows of hosts and sites. It learns from the feed which host
 * shows what, asks the platform for the parts of a site when it is first needed, and
 * reads its files itself.
 *
 * @module
 */
import { join } from "node:path";
import {
  type BlobReader,
  compileSiteInTurns,
  DomainHosts,
  resolveHost,
  type RuleCount,
  ruleCounts,
  type Site,
  SiteDirectory,
  withRulesInTurns,
} from "../../edge/mod.ts";
import { UnavailableError } from "../../lib/unavailable_error.ts";
import type { FeedMessage, HostBinding } from "../../feed/mod.ts";
import { describeDamage, FsBlobStore } from "../../platform/core/store/fs_blob_store.ts";
import { fetchingReader } from "./fetching_reader.ts";
import type { Answers, Question, ThreadSite } from "./wire.ts";

/** A message about hosts and their sites. */
export type SiteMessage = Exclude<
  FeedMessage,
  { readonly type: "cache_purged" | "cache_cleared" | "cache_invalidated" }
>;

export interface ThreadSitesOptions {
  /** Asks the platform. */
  ask<Asked extends Question>(question: Asked): Promise<Answers[Asked["type"]]>;
  /** Called with a message for the operator where a stored file is damaged. */
  onDamaged(message: string): void;
}

export class ThreadSites {
  readonly domains = new DomainHosts();
  readonly #sites: SiteDirectory;
  readonly #readers = new Map<string, BlobReader>();

  constructor(private readonly options: ThreadSitesOptions) {
    this.#sites = new SiteDirectory({
      load: (target) => this.#load(target),
      asProduction: async (site, projectId) => {
        const rules = await options.ask({ type: "rules", projectId });
        return rules === undefined ? site : await withRulesInTurns(site, rules);
      },
      dispose: () => {},
    });
  }

  /** The site of a hostname in canonical form. */
  readonly resolve = (hostname: string): Site | Promise<Site | undefined> | undefined =>
    resolveHost(hostname, { sites: this.#sites, domains: this.domains });

  /** How often each rule of a host's site took effect here, where the site is loaded. */
  async ruleCounts(hostname: string): Promise<readonly RuleCount[]> {
    const site = await this.resolve(hostname);
    return site === undefined ? [] : ruleCounts(site);
  }

  /** Applies a change; resolves when no request sees what was before. */
  async apply(message: SiteMessage): Promise<void> {
    switch (message.type) {
      case "host_pointed":
        return await this.#point(message);
      case "host_removed":
        return await this.#sites.remove(message.hostname);
      case "deployment_removed":
        return await this.#sites.removeDeployment(message.deploymentId);
      case "zone_replaced":
        return this.domains.replaceZone(message.zone, message.bindings);
    }
  }

  /** Shows what the messages say, and nothing else. */
  replace(messages: readonly FeedMessage[]): void {
    const hosts = new Map<string, HostBinding>();
    const zones = new Set<string>();
    for (const message of messages) {
      if (message.type === "host_pointed") hosts.set(message.hostname, message.to);
      if (message.type !== "zone_replaced") continue;
      zones.add(message.zone);
      this.domains.replaceZone(message.zone, message.bindings);
    }
    for (const zone of this.domains.zoneNames()) {
      if (!zones.has(zone)) this.domains.replaceZone(zone, []);
    }
    this.#sites.replace(hosts);
  }

  /** The site before must not answer any more, even where the new one cannot be loaded yet. */
  async #point({ hostname, to }: Extract<FeedMessage, { type: "host_pointed" }>): Promise<void> {
    try {
      await this.#sites.point(hostname, to);
    } catch (error) {
      await this.#sites.pointLazily(hostname, to);
      throw error;
    }
  }

  async #load({ projectId, deploymentId }: HostBinding): Promise<Site | undefined> {
    const found = await this.options.ask({ type: "site", projectId, deploymentId });
    if (found === undefined) return undefined;
    const { manifest, files, rules } = found;
    return await compileSiteInTurns({
      ...{ deploymentId, projectId, manifest, files, rules },
      blobs: this.#readerOf(found),
    });
  }

  async #fetch(workspaceId: string, sha256: string): Promise<void> {
    const trouble = await this.options.ask({ type: "blob", workspaceId, sha256 });
    if (trouble !== undefined) throw new UnavailableError(trouble.message, trouble);
  }

  #readerOf({ blobs, fetched, workspaceId }: ThreadSite): BlobReader {
    let reader = this.#readers.get(workspaceId);
    if (reader === undefined) {
      const { onDamaged } = this.options;
      const files = new FsBlobStore({
        root: join(blobs, workspaceId),
        incoming: join(blobs, "incoming"),
        damaged: join(blobs, "damaged", workspaceId),
        onUse: () => {},
        onDamaged: (sha256, movedTo) => onDamaged(describeDamage(sha256, { workspaceId, movedTo })),
      });
      reader = fetched
        ? fetchingReader(files, (sha256) => this.#fetch(workspaceId, sha256))
        : files;
      this.#readers.set(workspaceId, reader);
    }
    return reader;
  }
}
