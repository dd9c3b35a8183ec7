/**
 * @module Serves pages of earlier production deployments that are still open in browsers. Finds the
 * assets that the live deployment lacks, and the sites for requests that name the deployment of
 * their page. The data is collected once, when production changes, and stays in memory.
 */
import type { PastDeployment } from "../../feed/mod.ts";
import type { Clock } from "../../lib/clock.ts";
import { inTurns } from "../../lib/next_turn.ts";
import type { PastSites, Site } from "../site/site.ts";
import { isLastingAsset } from "../static/cache_control.ts";
import {
  addAssets,
  MAX_PAST_ASSETS,
  type PastAsset,
  type PastContent,
} from "../static/past_assets.ts";

export type EarlierContent = Omit<PastContent, "deploymentId" | "until">;

interface EarlierSitesOptions {
  readonly live: Pick<Site, "deploymentId" | "keepAssetsMs" | "skewMs" | "pageIds">;
  /** Newest first. */
  readonly past: readonly PastDeployment[];
  /** The object that was used before production changed. The new object reuses its data. */
  readonly before?: EarlierSites | undefined;
  readonly now: Clock;
  /** Reads a deployment. Returns `undefined` if it is no longer served. */
  read(deploymentId: string): Promise<EarlierContent | undefined>;
  /** Returns the site of an earlier deployment, as production serves it. */
  open(deploymentId: string): Site | Promise<Site | undefined>;
  onTrouble(message: string): void;
}

/** Facts collected from earlier deployments. */
interface Facts {
  /** The deployments read so far, newest first. */
  readonly ids: readonly string[];
  readonly assets: ReadonlyMap<string, PastAsset>;
  /** Deployments, keyed by the IDs that their pages use for them. */
  readonly pages: ReadonlyMap<string, string>;
}

const NO_FACTS: Facts = { ids: [], assets: new Map(), pages: new Map() };

export class EarlierSites implements PastSites {
  readonly #options: Omit<EarlierSitesOptions, "before">;
  /** When each deployment stops serving its pages, in milliseconds since the Unix epoch. */
  readonly #ends = new Map<string, number>();
  /** The latest of the times in `#ends`. */
  #lastEnd = 0;
  #past: readonly PastDeployment[] = [];
  /** The collected facts, or `undefined` while they are being collected. */
  #facts: Facts | undefined;
  #collected: Promise<Facts> = Promise.resolve(NO_FACTS);

  constructor({ before, ...options }: EarlierSitesOptions) {
    this.#options = options;
    this.#take(options.past, before === undefined ? undefined : before.#collected);
  }

  /** When each deployment stops serving its pages, in milliseconds since the Unix epoch. */
  get ends(): ReadonlyMap<string, number> {
    return this.#ends;
  }

  assetAt(path: string): PastAsset | undefined | Promise<PastAsset | undefined> {
    if (this.#facts !== undefined) return this.#current(this.#facts.assets.get(path));
    if (!isLastingAsset(path)) return undefined;
    return this.#collected.then(({ assets }) => this.#current(assets.get(path)));
  }

  get hasPages(): boolean {
    return this.#options.now() < this.#lastEnd;
  }

  siteOf(pageId: string): Site | undefined | Promise<Site | undefined> {
    if (this.#options.live.pageIds.has(pageId)) return undefined;
    if (this.#ends.has(pageId)) return this.#open(pageId);
    if (this.#facts !== undefined) return this.#open(this.#facts.pages.get(pageId));
    return this.#collected.then(({ pages }) => this.#open(pages.get(pageId)));
  }

  /** Removes a deployment that has been stopped or deleted. */
  forget(deploymentId: string): void {
    if (!this.#past.some(({ id }) => id === deploymentId)) return;
    this.#take(this.#past.filter(({ id }) => id !== deploymentId));
  }

  #open(deploymentId: string | undefined): Site | undefined | Promise<Site | undefined> {
    const end = deploymentId === undefined ? undefined : this.#ends.get(deploymentId);
    if (end === undefined || this.#options.now() >= end) return undefined;
    return this.#options.open(deploymentId!);
  }

  #current(asset: PastAsset | undefined): PastAsset | undefined {
    const { live, now } = this.#options;
    return asset !== undefined && now() < asset.until + live.keepAssetsMs ? asset : undefined;
  }

  #take(past: readonly PastDeployment[], before?: Promise<Facts>): void {
    const { live, now } = this.#options;
    const { deploymentId, skewMs, keepAssetsMs } = live;
    this.#past = past;
    this.#ends.clear();
    this.#lastEnd = 0;
    for (const { id, until } of past) {
      if (id === deploymentId || until + skewMs <= now()) continue;
      this.#ends.set(id, until + skewMs);
      this.#lastEnd = Math.max(this.#lastEnd, until + skewMs);
    }
    const needed = past.filter(({ until }) => until + Math.max(skewMs, keepAssetsMs) > now());
    this.#facts = needed.length === 0 ? NO_FACTS : undefined;
    const collected = this.#collect(needed, before);
    this.#collected = collected;
    collected.then((facts) => {
      if (this.#collected === collected) this.#facts = facts;
    }).catch((error) =>
      this.#options.onTrouble(`Cannot serve assets of earlier deployments: ${error}`)
    );
  }

  /**
   * Reads the deployments that are not loaded yet. If those are not the newest ones, reads all
   * deployments.
   */
  async #collect(
    needed: readonly PastDeployment[],
    before: Promise<Facts> = Promise.resolve(NO_FACTS),
  ): Promise<Facts> {
    const known = await before;
    const ids = needed.map(({ id }) => id);
    const fresh = ids.findIndex((id) => id === known.ids[0]);
    const added = fresh === -1 ? needed : needed.slice(0, fresh);
    const isNewer = fresh !== -1 && ids.slice(fresh).every((id, at) => id === known.ids[at]);
    const assets = new Map<string, PastAsset>();
    const pages = new Map<string, string>();
    const read: string[] = [];
    for (const deployment of isNewer ? added : needed) {
      if (await this.#add(deployment, { assets, pages })) read.push(deployment.id);
    }
    if (!isNewer) return { ids: read, assets, pages };
    const lasting = new Set(ids);
    for (const [path, asset] of known.assets) {
      if (assets.size >= MAX_PAST_ASSETS) break;
      if (lasting.has(asset.deploymentId) && !assets.has(path)) assets.set(path, asset);
    }
    for (const [pageId, id] of known.pages) {
      if (lasting.has(id) && !pages.has(pageId)) pages.set(pageId, id);
    }
    return { ids: [...read, ...ids.slice(fresh)], assets, pages };
  }

  /** Reads a deployment. Returns false if the deployment is skipped because it cannot be read. */
  async #add(
    { id, until }: PastDeployment,
    { assets, pages }: { assets: Map<string, PastAsset>; pages: Map<string, string> },
  ): Promise<boolean> {
    try {
      const content = await this.#options.read(id);
      if (content === undefined) return false;
      for (const pageId of content.manifest.pageIds ?? []) {
        if (!pages.has(pageId)) pages.set(pageId, id);
      }
      await inTurns(addAssets(assets, { ...content, deploymentId: id, until }));
      return true;
    } catch (error) {
      this.#options.onTrouble(`Cannot read the assets of deployment ${id}: ${error}`);
      return false;
    }
  }
}
