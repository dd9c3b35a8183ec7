/**
 * The access settings of each project's sites, in memory. Settings are read when a site is read,
 * and again when a record changes, on this node or on another one.
 *
 * @module
 */
import { type AccessFacts, SiteAccess } from "../../edge/mod.ts";
import type { AccessState, Publisher } from "../../feed/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import { keys, readRecord } from "../core/store/mod.ts";
import { newPreviewRecord, previewRecord } from "../projects/mod.ts";
import type { RecordStore } from "../../store/mod.ts";

interface CachedAccess {
  readonly workspaceId: string;
  readonly access: Promise<SiteAccess>;
}

/** Returns the access settings that a front edge needs. */
export const accessStateOf = ({ version, protection, maintenance }: AccessFacts): AccessState => ({
  version,
  protection,
  isDown: maintenance !== null,
});

export class AccessTable {
  readonly #known = new Map<string, CachedAccess>();

  readonly #kv: RecordStore;
  readonly #addresses: Addresses;
  readonly #feed: Pick<Publisher, "publish">;

  constructor({ kv, addresses, feed }: {
    readonly kv: RecordStore;
    readonly addresses: Addresses;
    readonly feed: Pick<Publisher, "publish">;
  }) {
    this.#kv = kv;
    this.#addresses = addresses;
    this.#feed = feed;
  }

  /** Returns the access settings of a project's sites. All sites share the result. */
  of(projectId: string, workspaceId: string): Promise<SiteAccess> {
    const known = this.#known.get(projectId);
    if (known !== undefined) return known.access;
    const access = this.#read(projectId, workspaceId)
      .then((facts) => new SiteAccess(projectId, facts));
    this.#known.set(projectId, { workspaceId, access });
    access.catch(() => this.#known.delete(projectId));
    return access;
  }

  /** Applies a project's stored settings. */
  async refresh(projectId: string): Promise<void> {
    const known = this.#known.get(projectId);
    if (known === undefined) return;
    const access = await known.access;
    access.replace(await this.#read(projectId, known.workspaceId));
    await this.#feed.publish({
      type: "access_changed",
      projectId,
      access: accessStateOf(access.facts),
    });
  }

  async refreshAll(): Promise<void> {
    for (const projectId of [...this.#known.keys()]) await this.refresh(projectId);
  }

  /** Forgets a project that has been deleted. */
  forget(projectId: string): void {
    this.#known.delete(projectId);
  }

  async #read(projectId: string, workspaceId: string): Promise<AccessFacts> {
    const found = await readRecord(this.#kv, keys.previewAccess(projectId), previewRecord);
    const { password, shares, ...settings } = found?.value ?? newPreviewRecord("off");
    return {
      ...settings,
      version: found?.versionstamp ?? "",
      workspaceId,
      passwordId: password?.id ?? null,
      shares: shares.map(({ id, hash, deploymentId, branch, endsAt }) => ({
        id,
        hash,
        deploymentId,
        hostname: branch === null ? null : this.#addresses.hostname(branch.label),
        endsAt,
      })),
    };
  }
}
