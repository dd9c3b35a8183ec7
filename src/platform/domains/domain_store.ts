/**
 * Domains and zones in Deno KV. A workspace can bind a hostname only once, and only one workspace
 * at a time can own a zone. Commits check both conditions.
 *
 * @module
 */
import * as z from "zod";
import {
  commitWithRetries,
  keys,
  readAll,
  readRecord,
  RecordType,
  Table,
  type Versioned,
} from "../core/store/mod.ts";
import {
  type DomainRecord,
  domainRecord,
  type ZoneOwnerRecord,
  zoneOwnerRecord,
  type ZoneRecord,
  zoneRecord,
} from "./domain.ts";
import type { RecordStore } from "../../store/mod.ts";

const placeRecord = z.object({ projectId: z.string(), domainId: z.string() });

const domains = new RecordType({
  root: keys.allDomains(),
  schema: domainRecord,
  parts: ({ projectId, id }) => [projectId, id],
  indices: {
    hostname: {
      entries: ({ workspaceId, hostname }) => [keys.domainByHostname(workspaceId, hostname)],
      holds: ["projectId", "domainId"],
      unique: true,
    },
    zone: {
      entries: ({ zone, workspaceId, id }) => [keys.zoneDomain(zone, workspaceId, id)],
      holds: ["projectId", "domainId"],
    },
  },
});

export interface Added {
  readonly type: "added";
  readonly domain: DomainRecord;
  readonly companion: DomainRecord | undefined;
  readonly zone: ZoneRecord;
}

type AddOutcome =
  | Added
  /** The workspace has already bound the hostname. */
  | { readonly type: "taken"; readonly by: DomainRecord }
  | { readonly type: "project_gone" };

export class DomainStore extends Table<
  DomainRecord,
  readonly [string, string],
  "hostname" | "zone"
> {
  constructor(kv: RecordStore) {
    super(kv, domains);
  }

  /** Lists a workspace's hostnames in alphabetical order up to a limit, each with its project. */
  async *hostnamesOf(workspaceId: string, most: number) {
    const prefix = keys.domainsByHostname(workspaceId);
    for await (const { key, value } of this.kv.list({ prefix }, { limit: most })) {
      yield { hostname: String(key.at(-1)), ...placeRecord.parse(value) };
    }
  }

  async zone(workspaceId: string, zone: string): Promise<ZoneRecord | undefined> {
    return (await readRecord(this.kv, keys.zone(workspaceId, zone), zoneRecord))?.value;
  }

  async owner(zone: string): Promise<ZoneOwnerRecord | undefined> {
    return (await readRecord(this.kv, keys.zoneOwner(zone), zoneOwnerRecord))?.value;
  }

  async *owners(): AsyncGenerator<ZoneOwnerRecord & { readonly zone: string }> {
    for await (const { key, value } of readAll(this.kv, keys.zoneOwners(), zoneOwnerRecord)) {
      yield { ...value, zone: String(key[1]) };
    }
  }

  async ofZone(zone: string, workspaceId: string): Promise<DomainRecord[]> {
    return await Array.fromAsync(this.allBy("zone", keys.zoneDomains(zone, workspaceId)));
  }

  /**
   * Binds a hostname, and also its companion if that is free. Replaces a redirect of the same
   * project.
   */
  async bind(
    wanted: DomainRecord,
    options: { readonly companion: DomainRecord | undefined; readonly newZone: ZoneRecord },
  ): Promise<AddOutcome> {
    const { workspaceId, projectId, hostname, zone } = wanted;
    const projectKey = keys.project(workspaceId, projectId);
    const zoneKey = keys.zone(workspaceId, zone);
    return await commitWithRetries<AddOutcome>(
      this.kv,
      [projectKey, zoneKey],
      async (operation) => {
        const [project, known, same, other] = await Promise.all([
          this.kv.get(projectKey),
          readRecord(this.kv, zoneKey, zoneRecord),
          this.#byHostname(workspaceId, hostname),
          options.companion === undefined
            ? undefined
            : this.#byHostname(workspaceId, options.companion.hostname),
        ]);
        if (project.versionstamp === null) return { type: "project_gone" };
        const replaced = same?.value;
        const givesWay = replaced?.redirectTo !== null && replaced?.projectId === projectId;
        if (replaced !== undefined && !givesWay) {
          return { type: "taken", by: replaced };
        }
        const zoneValue = known?.value ?? options.newZone;
        const domain = replaced === undefined
          ? wanted
          : { ...replaced, environment: wanted.environment, redirectTo: null };
        const companion = other === undefined ? options.companion : undefined;
        operation
          .check({ key: projectKey, versionstamp: project.versionstamp })
          .check({ key: zoneKey, versionstamp: known?.versionstamp ?? null })
          .set(zoneKey, zoneValue);
        if (same === undefined) domains.insert(operation, domain);
        else {
          // The entry is written again, because other nodes follow the entries for a zone's
          // domains.
          operation.check({ key: domains.keyOf(domain), versionstamp: same.versionstamp });
          domains.set(operation, domain);
        }
        if (companion !== undefined) domains.insert(operation, companion);
        return { type: "added", domain, companion, zone: zoneValue };
      },
    );
  }

  /**
   * Makes a workspace the owner of a zone that it has proven, if `mayReplace` allows this. Returns
   * the owner.
   */
  async claim(
    zone: string,
    claim: ZoneOwnerRecord,
    mayReplace: (owner: ZoneOwnerRecord) => Promise<boolean>,
  ): Promise<ZoneOwnerRecord> {
    const key = keys.zoneOwner(zone);
    const zoneKey = keys.zone(claim.workspaceId, zone);
    return await commitWithRetries(this.kv, [key, zoneKey], async (operation) => {
      const [current, own] = await Promise.all([
        readRecord(this.kv, key, zoneOwnerRecord),
        this.kv.get(zoneKey),
      ]);
      const owner = current?.value;
      const keeps = owner !== undefined &&
        (owner.workspaceId === claim.workspaceId || !await mayReplace(owner));
      if (keeps) return owner;
      operation
        .check({ key, versionstamp: current?.versionstamp ?? null })
        .check({ key: zoneKey, versionstamp: own.versionstamp })
        .set(key, claim);
      return claim;
    });
  }

  /**
   * Removes a domain. Removing the last domain of a zone also removes the workspace's claim to the
   * zone.
   */
  async unbind(domain: DomainRecord): Promise<void> {
    const { id, workspaceId, zone } = domain;
    const zoneKey = keys.zone(workspaceId, zone);
    await commitWithRetries(this.kv, [zoneKey, keys.zoneOwner(zone)], async (operation) => {
      const [known, owner, others] = await Promise.all([
        this.kv.get(zoneKey),
        readRecord(this.kv, keys.zoneOwner(zone), zoneOwnerRecord),
        this.ofZone(zone, workspaceId),
      ]);
      operation.check({ key: zoneKey, versionstamp: known.versionstamp });
      domains.drop(operation, domain);
      if (others.every((other) => other.id === id)) {
        operation.delete(zoneKey);
        if (owner?.value.workspaceId === workspaceId) {
          operation.check({ key: keys.zoneOwner(zone), versionstamp: owner.versionstamp })
            .delete(keys.zoneOwner(zone));
        }
      } else if (known.versionstamp !== null) {
        operation.set(zoneKey, known.value);
      }
    });
  }

  /** Removes all of a project's domains. Can be repeated at any time. */
  async removeProject(projectId: string): Promise<void> {
    for await (const domain of this.all(projectId)) await this.unbind(domain);
  }

  #byHostname(workspaceId: string, hostname: string): Promise<Versioned<DomainRecord> | undefined> {
    return this.readBy("hostname", keys.domainByHostname(workspaceId, hostname));
  }
}
