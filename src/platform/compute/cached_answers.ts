/**
 * The caches of all deployments, even those that are not loaded: responses that rules cache, and
 * servers' pages.
 *
 * @module
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  DEFAULT_ISR_MEMORY_BYTES,
  type HttpCache,
  IsrCache,
  IsrMemory,
  type PurgeOptions,
  type PurgeScope,
} from "../../edge/mod.ts";
import type { FeedMessage, ResourceUri } from "../../feed/mod.ts";
import type { Revalidation } from "../../runtime/mod.ts";
import { PageFolders } from "./fs_page_vault.ts";
import { scopesOf } from "./purge_scopes.ts";
import type { SiteServers } from "./site_servers.ts";

/**
 * Maximum time for which invalidated URIs are collected while other nodes apply earlier ones, in
 * milliseconds.
 */
const GATHER_MS = 100;

export interface Revalidated {
  readonly deploymentId: string;
  readonly scopes: readonly PurgeScope[];
  readonly soft: boolean;
}

export interface CachedAnswersOptions {
  readonly dataDir: string;
  readonly cache: HttpCache;
  /** The loaded servers, by deployment. */
  readonly open: ReadonlyMap<string, Pick<SiteServers, "pages">>;
  readonly now: () => number;
  readonly onTrouble: (message: string) => void;
  /** Publishes a change to the feed's subscribers. Resolves when all of them have applied it. */
  publish(message: FeedMessage): Promise<void>;
}

export class CachedAnswers {
  readonly #folders: PageFolders;
  readonly #memory: IsrMemory;
  #tellOthers: (revalidated: Revalidated) => Promise<void> = () => Promise.resolve();
  /** Invalidated URIs that other nodes do not know about yet, without duplicates. */
  readonly #invalid = new Map<string, ResourceUri>();
  #isTelling = false;

  readonly #options: CachedAnswersOptions;

  constructor(options: CachedAnswersOptions) {
    this.#options = options;
    options.cache.onInvalidation((uris) => {
      for (const uri of uris) this.#invalid.set(JSON.stringify(uri), uri);
      if (!this.#isTelling) this.#tellOfInvalid().catch(this.#onTellingFailed);
    });
    this.#memory = new IsrMemory(DEFAULT_ISR_MEMORY_BYTES);
    this.#folders = new PageFolders(join(options.dataDir, "isr"));
  }

  /** Returns a deployment's pages, even if its servers are not loaded. */
  pagesOf(deploymentId: string): IsrCache {
    const { open, now, onTrouble } = this.#options;
    return open.get(deploymentId)?.pages ?? new IsrCache({
      deploymentId,
      store: this.#folders.of(deploymentId),
      memory: this.#memory,
      now,
      onError: (error) => onTrouble(`Deployment ${deploymentId}: ${error}`),
    });
  }

  /**
   * Removes cached responses, or marks them stale if `soft` is true. Returns the number of affected
   * responses.
   */
  async purge(
    deploymentId: string,
    scope: PurgeScope,
    options: PurgeOptions = {},
  ): Promise<number> {
    const answers = this.#options.cache.purge(deploymentId, scope, options);
    const purging = this.pagesOf(deploymentId).purge(scope, options);
    await this.#publish(deploymentId, [scope], options);
    return answers + await purging;
  }

  /**
   * Removes all cached responses of all deployments. Resolves once none of these responses is
   * served anymore.
   */
  async purgeAll(): Promise<void> {
    const { cache, open, publish } = this.#options;
    cache.clear();
    for (const id of new Set([...open.keys(), ...await this.#folders.list()])) {
      await this.pagesOf(id).purge({ type: "all" });
    }
    await publish({ type: "cache_cleared" });
  }

  /**
   * Revalidates, on all nodes, the paths and tags that a server specifies.
   *
   * @throws {Error} for invalid paths.
   */
  async revalidate(deploymentId: string, what: Revalidation): Promise<void> {
    const scopes = scopesOf(what);
    await Promise.all([
      this.repeatRevalidation(deploymentId, { scopes, soft: what.soft }),
      this.#tellOthers({ deploymentId, scopes, soft: what.soft }),
    ]);
  }

  /**
   * Registers a callback that notifies other nodes of a server's revalidation. The revalidation
   * waits for the callback.
   */
  onRevalidation(tell: (revalidated: Revalidated) => Promise<void>): void {
    this.#tellOthers = tell;
  }

  /** Applies a revalidation to this node's caches. */
  async repeatRevalidation(
    deploymentId: string,
    { scopes, soft }: Omit<Revalidated, "deploymentId">,
  ): Promise<void> {
    for (const scope of scopes) this.#options.cache.purge(deploymentId, scope, { soft });
    const marking = this.pagesOf(deploymentId).revalidate(scopes, { soft });
    await this.#publish(deploymentId, scopes, { soft });
    await marking;
  }

  /** Removes the pages of deployments that no longer exist. */
  async sweep(isKept: (deploymentId: string) => boolean): Promise<void> {
    for (const id of await this.#folders.list()) if (!isKept(id)) await this.#folders.remove(id);
  }

  async remove(deploymentId: string): Promise<void> {
    await this.#folders.remove(deploymentId);
  }

  readonly #onTellingFailed = (error: unknown) =>
    this.#options.onTrouble(`Cannot notify other nodes of an invalidation: ${error}`);

  /**
   * Notifies other nodes of invalidated URIs. Sends the first URIs immediately, and later URIs
   * together.
   */
  async #tellOfInvalid(): Promise<void> {
    const { publish } = this.#options;
    this.#isTelling = true;
    while (this.#invalid.size > 0) {
      const uris = [...this.#invalid.values()];
      this.#invalid.clear();
      const gathering = new AbortController();
      const { signal } = gathering;
      const applied = publish({ type: "cache_invalidated", uris })
        .catch(this.#onTellingFailed);
      await Promise.race([applied, delay(GATHER_MS, undefined, { signal }).catch(() => {})]);
      gathering.abort();
    }
    this.#isTelling = false;
  }

  /** Publishes a purge to the feed's subscribers. */
  async #publish(
    deploymentId: string,
    scopes: readonly PurgeScope[],
    { soft = false }: PurgeOptions,
  ): Promise<void> {
    const staleSince = soft ? this.#options.now() : undefined;
    await this.#options.publish({ type: "cache_purged", deploymentId, scopes, staleSince });
  }
}
