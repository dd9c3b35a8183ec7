/**
 * Which site answers on which hostname, kept in memory: a request for a host in
 * use does not read the store. Sites are compiled when they are activated or
 * first requested, and unloaded when there are too many.
 *
 * @module
 */
import type { FeedMessage, HostBinding, RollingBinding } from "../../feed/mod.ts";
import type { RollingSide, Site } from "../site/site.ts";

/** Most loaded sites; those that were not requested lately are unloaded first. */
const MAX_LOADED_SITES = 512;

/** The production site of a project. */
export interface ProductionSite {
  readonly hostname: string;
  readonly projectId: string;
  readonly deploymentId: string;
}

interface Entry extends HostBinding {
  site: Site | undefined;
  /** Requested since room was last needed. */
  used: boolean;
}

export interface SiteDirectoryOptions {
  /** Reads and compiles a deployment; `undefined` where it is no longer served. */
  load(target: HostBinding): Promise<Site | undefined>;
  /** The site as a host shows it: in production, with the rules published over it, if any. */
  asShown(site: Site, target: HostBinding): Promise<Site>;
  /** Ends what runs for a site, when no host shows it any more or room is needed. */
  dispose(site: Site): void;
  /** Tells others of a change; resolves when all of them show it. */
  publish?(message: FeedMessage): Promise<void>;
  readonly maxLoaded?: number;
}

/** Whether a host shows a deployment, to some of its visitors at least. */
const shows = ({ deploymentId, rolling }: HostBinding, id: string): boolean =>
  deploymentId === id || rolling?.deploymentId === id;

/** A binding as it is sent. */
const bindingOf = (
  { projectId, deploymentId, production, version, rolling }: Entry,
): HostBinding => ({
  projectId,
  deploymentId,
  production,
  version,
  ...(rolling === undefined ? {} : { rolling }),
});

/** A rolling release on a host, with both of its sides. */
export interface RollingHost extends RollingBinding {
  readonly projectId: string;
  /** The deployment that all others see. */
  readonly from: string;
}

/** Thrown internally to drop a failed load from the cache. */
class NotServed extends Error {}

export class SiteDirectory {
  readonly #entries = new Map<string, Entry>();
  readonly #loaded = new Map<string, Promise<Site>>();
  readonly #maxLoaded: number;

  readonly #options: SiteDirectoryOptions;

  constructor(options: SiteDirectoryOptions) {
    this.#options = options;
    this.#maxLoaded = options.maxLoaded ?? MAX_LOADED_SITES;
  }

  /** The site of a hostname: at once if it is loaded, `undefined` if there is none. */
  resolve(hostname: string): Site | Promise<Site | undefined> | undefined {
    const entry = this.#entries.get(hostname);
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.site ?? this.#load(entry);
  }

  /**
   * Points a hostname at a deployment once its site is ready; until then the
   * previous site answers.
   */
  async point(hostname: string, target: HostBinding): Promise<void> {
    const entry: Entry = { ...target, site: undefined, used: true };
    await this.#load(entry);
    const current = this.#entries.get(hostname);
    if (current !== undefined && current.version > target.version) return;
    this.#entries.set(hostname, entry);
    await this.#publish({ type: "host_pointed", hostname, to: target });
  }

  /** Points a hostname at a deployment that is loaded on the first request. */
  async pointLazily(hostname: string, to: HostBinding): Promise<void> {
    this.#entries.set(hostname, { ...to, site: undefined, used: false });
    await this.#publish({ type: "host_pointed", hostname, to });
  }

  /** Takes every host of a project offline. */
  async removeProject(projectId: string): Promise<void> {
    await Promise.all(
      [...this.deploymentsOf(projectId)].map((id) => this.removeDeployment(id)),
    );
  }

  /** The state of all hostnames, as messages. */
  *current(): Generator<FeedMessage> {
    for (const [hostname, entry] of this.#entries) {
      yield { type: "host_pointed", hostname, to: bindingOf(entry) };
    }
  }

  /** The deployments that any host of a project shows, each once. */
  deploymentsOf(projectId: string): Set<string> {
    const ids = new Set<string>();
    for (const entry of this.#entries.values()) {
      if (entry.projectId !== projectId) continue;
      ids.add(entry.deploymentId);
      if (entry.rolling !== undefined) ids.add(entry.rolling.deploymentId);
    }
    return ids;
  }

  /** The deployment that a hostname shows, if any. */
  deploymentAt(hostname: string): string | undefined {
    return this.#entries.get(hostname)?.deploymentId;
  }

  /** Whether any host shows a deployment. */
  isShown(deploymentId: string): boolean {
    return [...this.#entries.values()].some((entry) => shows(entry, deploymentId));
  }

  /** The rolling releases of all hosts. */
  rolling(): RollingHost[] {
    const hosts: RollingHost[] = [];
    for (const { projectId, deploymentId: from, rolling } of this.#entries.values()) {
      if (rolling !== undefined) hosts.push({ ...rolling, projectId, from });
    }
    return hosts;
  }

  /** Hostnames that show a deployment. */
  hostnames(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** The production sites of all projects. */
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

  /** Takes a deployment off every host that shows it. */
  async removeDeployment(deploymentId: string): Promise<void> {
    for (const [hostname, entry] of this.#entries) {
      if (entry.deploymentId === deploymentId) this.#entries.delete(hostname);
      else if (shows(entry, deploymentId)) {
        this.#entries.set(hostname, { ...entry, rolling: undefined, site: undefined });
      }
    }
    this.#drop(deploymentId);
    await this.#publish({ type: "deployment_removed", deploymentId });
  }

  /** Unloads all sites. */
  close(): void {
    for (const id of [...this.#loaded.keys()]) this.#drop(id);
  }

  /** Rebuilds the production site of a project after its published rules changed. */
  async refreshProduction(hostname: string): Promise<void> {
    const entry = this.#entries.get(hostname);
    if (entry === undefined) return;
    await this.point(hostname, bindingOf(entry));
  }

  async #publish(message: FeedMessage): Promise<void> {
    await this.#options.publish?.(message);
  }

  async #load(entry: Entry): Promise<Site | undefined> {
    try {
      const shown = await this.#options.asShown(await this.#base(entry), entry);
      const rolling = await this.#otherSide(entry);
      entry.site = rolling === undefined ? shown : { ...shown, rolling };
      return entry.site;
    } catch (error) {
      if (error instanceof NotServed) return undefined;
      throw error;
    }
  }

  /** The other side of a rolling release; none where it is no longer served. */
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
   * Second-chance replacement: a site that was requested since the last round
   * stays for one more.
   */
  #makeRoom(): void {
    for (const [id, site] of this.#loaded) {
      if (this.#loaded.size <= this.#maxLoaded) return;
      const shown = [...this.#entries.values()].filter((entry) => shows(entry, id));
      if (shown.some((entry) => entry.used)) {
        for (const entry of shown) entry.used = false;
        this.#loaded.delete(id);
        this.#loaded.set(id, site);
        continue;
      }
      for (const entry of shown) entry.site = undefined;
      this.#drop(id);
    }
  }

  #drop(deploymentId: string): void {
    const site = this.#loaded.get(deploymentId);
    this.#loaded.delete(deploymentId);
    site?.then((loaded) => this.#options.dispose(loaded), () => {});
  }
}
