/**
 * @module Maps hostnames to sites in memory. A request for a host in use therefore does not read
 * the store. Sites are compiled when they are activated or first requested, and unloaded when there
 * are too many.
 */
import type { FeedMessage, HostBinding, RollingBinding } from "../../feed/mod.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { RollingSide, Site } from "../site/site.ts";
import { type EarlierContent, EarlierSites } from "./earlier_sites.ts";

/** Maximum number of loaded sites. The least recently requested sites are unloaded first. */
const MAX_LOADED_SITES = 512;

export interface ProductionSite {
  readonly hostname: string;
  readonly projectId: string;
  readonly deploymentId: string;
}

interface Entry extends Omit<HostBinding, "past"> {
  past?: HostBinding["past"];
  site: Site | undefined;
  /** Whether the site was requested since the last eviction. */
  used: boolean;
  /** Earlier deployments of a production host. */
  earlier?: EarlierSites | undefined;
  /** The earlier deployments that pages have requested, as production serves them. */
  readonly pinned: Map<string, Entry>;
}

const entryOf = (to: HostBinding, used: boolean): Entry => ({
  ...to,
  site: undefined,
  used,
  pinned: new Map(),
});

interface SiteDirectoryOptions {
  /** Reads and compiles a deployment. Returns `undefined` if it is no longer served. */
  load(target: HostBinding): Promise<Site | undefined>;
  /**
   * Returns the site as a host serves it. In production, published rules are added if there are
   * any.
   */
  asShown(site: Site, target: HostBinding): Promise<Site>;
  /**
   * Reads a deployment that production served before. Returns `undefined` if it is no longer
   * served.
   */
  readPast?(projectId: string, deploymentId: string): Promise<EarlierContent | undefined>;
  onTrouble?(message: string): void;
  readonly now?: Clock;
  /**
   * Stops everything that runs for a site. Called when no host serves the site any longer, or to
   * free memory.
   */
  dispose(site: Site): void;
  /** Tells other nodes about a change. Resolves when all of them have applied it. */
  publish?(message: FeedMessage): Promise<void>;
  readonly maxLoaded?: number;
}

/** Whether a host serves a deployment to at least some visitors. */
const shows = ({ deploymentId, rolling }: HostBinding, id: string): boolean =>
  deploymentId === id || rolling?.deploymentId === id;

/** Returns the parts of an entry that are sent to other nodes. */
const bindingOf = (
  { projectId, deploymentId, production, version, rolling, past }: HostBinding,
): HostBinding => ({
  projectId,
  deploymentId,
  production,
  version,
  past,
  ...(rolling === undefined ? {} : { rolling }),
});

/** A rolling release on a host, with both of its deployments. */
export interface RollingHost extends RollingBinding {
  readonly projectId: string;
  /** The deployment that is shown to all visitors who do not get the new one. */
  readonly from: string;
}

/** Thrown internally to drop a failed load from the cache. */
class NotServed extends Error {}

export class SiteDirectory {
  readonly #entries = new Map<string, Entry>();
  readonly #loaded = new Map<string, Promise<Site>>();
  /**
   * When each replaced deployment stops serving its pages, in milliseconds since the Unix epoch.
   */
  readonly #pins = new Map<string, number>();
  readonly #maxLoaded: number;
  #revision = 0;

  readonly #options: SiteDirectoryOptions;

  constructor(options: SiteDirectoryOptions) {
    this.#options = options;
    this.#maxLoaded = options.maxLoaded ?? MAX_LOADED_SITES;
  }

  /**
   * Returns the site for a hostname, or `undefined` if there is none. A loaded site is returned
   * synchronously.
   */
  resolve(hostname: string): Site | Promise<Site | undefined> | undefined {
    const entry = this.#entries.get(hostname);
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.site ?? this.#load(entry);
  }

  /**
   * Points a hostname at a deployment once its site is ready. Until then, the hostname serves the
   * previous site.
   */
  async point(hostname: string, target: HostBinding): Promise<void> {
    const entry = entryOf(target, true);
    const before = this.#entries.get(hostname);
    if (before?.projectId === target.projectId) entry.earlier = before.earlier;
    await this.#load(entry);
    const current = this.#entries.get(hostname);
    if (current !== undefined && current.version > target.version) return;
    this.#entries.set(hostname, entry);
    await this.#publish({ type: "host_pointed", hostname, to: target });
  }

  /** Points a hostname at a deployment that loads on the first request. */
  async pointLazily(hostname: string, to: HostBinding): Promise<void> {
    this.#entries.set(hostname, entryOf(to, false));
    await this.#publish({ type: "host_pointed", hostname, to });
  }

  /** Takes all of a project's hosts offline. */
  async removeProject(projectId: string): Promise<void> {
    await Promise.all(
      [...this.deploymentsOf(projectId)].map((id) => this.removeDeployment(id)),
    );
  }

  /** Yields the current state of all hostnames, as messages for other nodes. */
  *current(): Generator<FeedMessage> {
    for (const [hostname, entry] of this.#entries) {
      yield { type: "host_pointed", hostname, to: bindingOf(entry) };
    }
  }

  /** Returns the deployments that any host of a project serves, without duplicates. */
  deploymentsOf(projectId: string): Set<string> {
    const ids = new Set<string>();
    for (const entry of this.#entries.values()) {
      if (entry.projectId !== projectId) continue;
      ids.add(entry.deploymentId);
      if (entry.rolling !== undefined) ids.add(entry.rolling.deploymentId);
    }
    return ids;
  }

  /** Returns the deployment that a hostname serves, if any. */
  deploymentAt(hostname: string): string | undefined {
    return this.#entries.get(hostname)?.deploymentId;
  }

  /** Whether any host serves a deployment. */
  isShown(deploymentId: string): boolean {
    return [...this.#entries.values()].some((entry) => shows(entry, deploymentId));
  }

  /** Returns the rolling releases on all hosts. */
  rolling(): RollingHost[] {
    const hosts: RollingHost[] = [];
    for (const { projectId, deploymentId: from, rolling } of this.#entries.values()) {
      if (rolling !== undefined) hosts.push({ ...rolling, projectId, from });
    }
    return hosts;
  }

  /** A number that increases each time a hostname starts to serve something else. */
  get revision(): number {
    return this.#revision;
  }

  /** Returns the hostnames that have a site. */
  hostnames(): readonly string[] {
    return [...this.#entries.keys()];
  }

  isLoaded(hostname: string): boolean {
    return this.#entries.get(hostname)?.site !== undefined;
  }

  production(): readonly ProductionSite[] {
    const sites: ProductionSite[] = [];
    for (const [hostname, { production, projectId, deploymentId }] of this.#entries) {
      if (production) sites.push({ hostname, projectId, deploymentId });
    }
    return sites;
  }

  async remove(hostname: string): Promise<void> {
    this.#entries.delete(hostname);
    await this.#publish({ type: "host_removed", hostname });
  }

  /** Removes a deployment from every host that serves it. */
  async removeDeployment(deploymentId: string): Promise<void> {
    for (const [hostname, entry] of this.#entries) {
      if (entry.deploymentId === deploymentId) this.#entries.delete(hostname);
      entry.past = entry.past?.filter(({ id }) => id !== deploymentId);
      entry.pinned.delete(deploymentId);
      entry.earlier?.forget(deploymentId);
      if (entry.deploymentId !== deploymentId && shows(entry, deploymentId)) {
        this.#entries.set(hostname, { ...entry, rolling: undefined, site: undefined });
      }
    }
    this.#pins.delete(deploymentId);
    this.#drop(deploymentId);
    await this.#publish({ type: "deployment_removed", deploymentId });
  }

  /** Unloads all sites. */
  close(): void {
    for (const id of [...this.#loaded.keys()]) this.#drop(id);
  }

  /** Rebuilds a project's production site after its published rules changed. */
  async refreshProduction(hostname: string): Promise<void> {
    const entry = this.#entries.get(hostname);
    if (entry === undefined) return;
    await this.point(hostname, bindingOf(entry));
  }

  async #publish(message: FeedMessage): Promise<void> {
    this.#revision++;
    await this.#options.publish?.(message);
  }

  async #load(entry: Entry): Promise<Site | undefined> {
    try {
      const shown = await this.#options.asShown(await this.#base(entry), entry);
      const rolling = await this.#otherSide(entry);
      if (entry.production) entry.earlier = this.#earlierOf(entry, shown);
      const past = entry.earlier;
      return entry.site = {
        ...shown,
        past,
        ...(rolling === undefined
          ? {}
          : { rolling: { ...rolling, site: { ...rolling.site, past } } }),
      };
    } catch (error) {
      if (error instanceof NotServed) return undefined;
      throw error;
    }
  }

  /**
   * Returns the other deployment of a rolling release, or `undefined` if that deployment is no
   * longer served.
   */
  async #otherSide({ rolling, ...target }: Entry): Promise<RollingSide | undefined> {
    if (rolling === undefined) return undefined;
    const { deploymentId, releaseId, share } = rolling;
    const other = { ...target, deploymentId };
    try {
      const site = await this.#options.asShown(await this.#base(other), other);
      return { releaseId, share, site };
    } catch (error) {
      if (error instanceof NotServed) return undefined;
      throw error;
    }
  }

  /** Creates the object that finds what earlier deployments still serve on a production host. */
  #earlierOf(entry: Entry, live: Site): EarlierSites | undefined {
    const { readPast, now = systemClock, onTrouble = () => {} } = this.#options;
    const { projectId, past = [], earlier: before } = entry;
    if (past.length === 0 || readPast === undefined) return undefined;
    const earlier = new EarlierSites({
      live,
      past,
      before,
      now,
      read: (id) => readPast(projectId, id),
      open: (id) => this.#openPinned(id, { entry, live }),
      onTrouble,
    });
    for (const [id, end] of earlier.ends) this.#pins.set(id, end);
    return earlier;
  }

  /**
   * Returns an earlier deployment as production serves it: behind the live deployment's gate.
   */
  #openPinned(
    deploymentId: string,
    { entry, live }: { readonly entry: Entry; readonly live: Site },
  ): Site | Promise<Site | undefined> {
    let pin = entry.pinned.get(deploymentId);
    if (pin === undefined) {
      pin = entryOf(
        { ...bindingOf(entry), deploymentId, past: undefined, rolling: undefined },
        true,
      );
      entry.pinned.set(deploymentId, pin);
    }
    pin.used = true;
    return pin.site ?? this.#loadPinned(pin, { entry, live });
  }

  async #loadPinned(
    pin: Entry,
    { entry, live }: { readonly entry: Entry; readonly live: Site },
  ): Promise<Site | undefined> {
    try {
      const shown = await this.#options.asShown(await this.#base(pin), pin);
      return pin.site = { ...shown, gate: live.gate, past: entry.earlier };
    } catch (error) {
      if (error instanceof NotServed) return undefined;
      throw error;
    }
  }

  /** Whether a deployment still serves the pages that it delivered in production. */
  isPinned(deploymentId: string): boolean {
    const end = this.#pins.get(deploymentId);
    return end !== undefined && this.#now() < end;
  }

  /**
   * Forgets the deployments that no longer serve their pages. Returns them, except for those in
   * production.
   */
  takeEndedPins(): readonly string[] {
    const live = new Set(this.production().map(({ deploymentId }) => deploymentId));
    const ended = [...this.#pins.keys()].filter((id) => !this.isPinned(id));
    for (const id of ended) this.#pins.delete(id);
    return ended.filter((id) => !live.has(id));
  }

  #now(): number {
    return (this.#options.now ?? systemClock)();
  }

  /**
   * Yields every entry that serves a deployment: hosts, and earlier deployments behind production
   * hosts.
   */
  *#shown(deploymentId: string): Generator<Entry> {
    for (const entry of this.#entries.values()) {
      if (shows(entry, deploymentId)) yield entry;
      const pin = entry.pinned.get(deploymentId);
      if (pin !== undefined) yield pin;
    }
  }

  #base(target: HostBinding): Promise<Site> {
    const known = this.#loaded.get(target.deploymentId);
    if (known !== undefined) return known;
    const site = this.#options.load(target).then((loaded) => {
      if (loaded === undefined) throw new NotServed();
      return loaded;
    });
    this.#loaded.set(target.deploymentId, site);
    site.catch(() => this.#loaded.delete(target.deploymentId));
    this.#makeRoom();
    return site;
  }

  /**
   * Unloads sites with second-chance replacement: a site that was requested since the last round is
   * kept for another round.
   */
  #makeRoom(): void {
    for (const [id, site] of this.#loaded) {
      if (this.#loaded.size <= this.#maxLoaded) return;
      const shown = [...this.#shown(id)];
      if (shown.some((entry) => entry.used)) {
        for (const entry of shown) entry.used = false;
        this.#loaded.delete(id);
        this.#loaded.set(id, site);
        continue;
      }
      for (const entry of shown) entry.site = entry.earlier = undefined;
      this.#drop(id);
    }
  }

  #drop(deploymentId: string): void {
    const site = this.#loaded.get(deploymentId);
    this.#loaded.delete(deploymentId);
    site?.then((loaded) => this.#options.dispose(loaded), () => {});
  }
}
