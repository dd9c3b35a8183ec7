/**
 * Domains and zones in Deno KV. A workspace binds a hostname once, and one
 * workspace at a time owns a zone; both are checked in the commit.
 *
 * @module
 */
import * as z from "zod";
import {
  commitWithRetries,
  keys,
  type Page,
  readAll,
  readPage,
  readRecord,
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
import type { Operation, RecordStore } from "../../store/mod.ts";

const placeRecord = z.object({ projectId: z.string(), domainId: z.string() });

export interface Added {
  readonly type: "added";
  readonly domain: DomainRecord;
  readonly companion: DomainRecord | undefined;
  readonly zone: ZoneRecord;
}

export type AddOutcome =
  | Added
  /** The workspace has already bound the hostname. */
  | { readonly type: "taken"; readonly by: DomainRecord }
  | { readonly type: "project_gone" };

export class DomainStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async find(projectId: string, id: string): Promise<DomainRecord | undefined> {
    return (await readRecord(this.#kv, keys.domain(projectId, id), domainRecord))?.value;
  }

  list(
    projectId: string,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<DomainRecord>> {
    return readPage(this.#kv, keys.domains(projectId), { schema: domainRecord, ...page });
  }

  async *all(): AsyncGenerator<DomainRecord> {
    for await (const { value } of readAll(this.#kv, keys.allDomains(), domainRecord)) yield value;
  }

  /** The first hostnames of a workspace in alphabetical order, each with what it belongs to. */
  async *hostnamesOf(workspaceId: string, most: number) {
    const prefix = keys.domainsByHostname(workspaceId);
    for await (const { key, value } of this.#kv.list({ prefix }, { limit: most })) {
      yield { hostname: String(key.at(-1)), ...placeRecord.parse(value) };
    }
  }

  async zone(workspaceId: string, zone: string): Promise<ZoneRecord | undefined> {
    return (await readRecord(this.#kv, keys.zone(workspaceId, zone), zoneRecord))?.value;
  }

  async owner(zone: string): Promise<ZoneOwnerRecord | undefined> {
    return (await readRecord(this.#kv, keys.zoneOwner(zone), zoneOwnerRecord))?.value;
  }

  async *owners(): AsyncGenerator<ZoneOwnerRecord & { readonly zone: string }> {
    for await (const { key, value } of readAll(this.#kv, keys.zoneOwners(), zoneOwnerRecord)) {
      yield { ...value, zone: String(key[1]) };
    }
  }

  /** A workspace's domains of one zone. */
  async ofZone(zone: string, workspaceId: string): Promise<DomainRecord[]> {
    const found: DomainRecord[] = [];
    const places = readAll(this.#kv, keys.zoneDomains(zone, workspaceId), placeRecord);
    for await (const { value } of places) {
      const domain = await this.find(value.projectId, value.domainId);
      if (domain !== undefined) found.push(domain);
    }
    return found;
  }

  /**
   * Binds a hostname, and with it its companion if that name is free. A
   * redirect of the same project is replaced by a binding of its name.
   */
  async add(
    wanted: DomainRecord,
    options: { readonly companion: DomainRecord | undefined; readonly newZone: ZoneRecord },
  ): Promise<AddOutcome> {
    const { workspaceId, projectId, hostname, zone } = wanted;
    const projectKey = keys.project(workspaceId, projectId);
    const zoneKey = keys.zone(workspaceId, zone);
    const { result } = await commitWithRetries<AddOutcome>(
      this.#kv,
      [projectKey, zoneKey],
      async () => {
        const operation = this.#kv.atomic();
        const [project, known, same, other] = await Promise.all([
          this.#kv.get(projectKey),
          readRecord(this.#kv, zoneKey, zoneRecord),
          this.#byHostname(workspaceId, hostname),
          options.companion === undefined
            ? undefined
            : this.#byHostname(workspaceId, options.companion.hostname),
        ]);
        if (project.versionstamp === null) return { operation, result: { type: "project_gone" } };
        const replaced = same?.value;
        const givesWay = replaced?.redirectTo !== null && replaced?.projectId === projectId;
        if (replaced !== undefined && !givesWay) {
          return { operation, result: { type: "taken", by: replaced } };
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
        this.#checkHostname(operation, domain, same);
        this.#write(operation, domain);
        if (companion !== undefined) {
          this.#checkHostname(operation, companion, undefined);
          this.#write(operation, companion);
        }
        return { operation, result: { type: "added", domain, companion, zone: zoneValue } };
      },
    );
    return result;
  }

  /** Stores the result of a look-up; a domain that is gone stays gone. */
  async noteCheck(domain: DomainRecord, lastCheck: DomainRecord["lastCheck"]): Promise<void> {
    const key = keys.domain(domain.projectId, domain.id);
    await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, domainRecord);
      const operation = this.#kv.atomic();
      if (current !== undefined) {
        operation.check({ key, versionstamp: current.versionstamp })
          .set(key, { ...current.value, lastCheck });
      }
      return { operation, result: undefined };
    });
  }

  /**
   * Makes a workspace the owner of a zone that it has proven. `mayReplace`
   * decides whether another owner is replaced. Returns the owner.
   */
  async claim(
    zone: string,
    claim: ZoneOwnerRecord,
    mayReplace: (owner: ZoneOwnerRecord) => Promise<boolean>,
  ): Promise<ZoneOwnerRecord> {
    const key = keys.zoneOwner(zone);
    const zoneKey = keys.zone(claim.workspaceId, zone);
    const { result } = await commitWithRetries(this.#kv, [key, zoneKey], async () => {
      const [current, own] = await Promise.all([
        readRecord(this.#kv, key, zoneOwnerRecord),
        this.#kv.get(zoneKey),
      ]);
      const operation = this.#kv.atomic();
      const owner = current?.value;
      const keeps = owner !== undefined &&
        (owner.workspaceId === claim.workspaceId || !await mayReplace(owner));
      if (keeps) return { operation, result: owner };
      operation
        .check({ key, versionstamp: current?.versionstamp ?? null })
        .check({ key: zoneKey, versionstamp: own.versionstamp })
        .set(key, claim);
      return { operation, result: claim };
    });
    return result;
  }

  /** Removes a domain; with the last one of its zone also the workspace's claim to the zone. */
  async remove(domain: DomainRecord): Promise<void> {
    const { id, projectId, workspaceId, zone, hostname } = domain;
    const zoneKey = keys.zone(workspaceId, zone);
    await commitWithRetries(this.#kv, [zoneKey, keys.zoneOwner(zone)], async () => {
      const [known, owner, others] = await Promise.all([
        this.#kv.get(zoneKey),
        readRecord(this.#kv, keys.zoneOwner(zone), zoneOwnerRecord),
        this.ofZone(zone, workspaceId),
      ]);
      const operation = this.#kv.atomic()
        .check({ key: zoneKey, versionstamp: known.versionstamp })
        .delete(keys.domain(projectId, id))
        .delete(keys.domainByHostname(workspaceId, hostname))
        .delete(keys.zoneDomain(zone, workspaceId, id));
      if (others.every((other) => other.id === id)) {
        operation.delete(zoneKey);
        if (owner?.value.workspaceId === workspaceId) {
          operation.check({ key: keys.zoneOwner(zone), versionstamp: owner.versionstamp })
            .delete(keys.zoneOwner(zone));
        }
      } else if (known.versionstamp !== null) {
        operation.set(zoneKey, known.value);
      }
      return { operation, result: undefined };
    });
  }

  /** Removes all domains of a project; can be repeated at any time. */
  async removeProject(projectId: string): Promise<void> {
    for await (const { value } of readAll(this.#kv, keys.domains(projectId), domainRecord)) {
      await this.remove(value);
    }
  }

  async #byHostname(
    workspaceId: string,
    hostname: string,
  ): Promise<Versioned<DomainRecord> | undefined> {
    const place = await readRecord(
      this.#kv,
      keys.domainByHostname(workspaceId, hostname),
      placeRecord,
    );
    if (place === undefined) return undefined;
    const domain = await this.find(place.value.projectId, place.value.domainId);
    return domain && { value: domain, versionstamp: place.versionstamp };
  }

  #checkHostname(
    operation: Operation,
    domain: DomainRecord,
    known: Versioned<DomainRecord> | undefined,
  ): void {
    const key = keys.domainByHostname(domain.workspaceId, domain.hostname);
    operation.check({ key, versionstamp: known?.versionstamp ?? null });
  }

  #write(operation: Operation, domain: DomainRecord): void {
    const { id, projectId, workspaceId, hostname, zone } = domain;
    const place = { projectId, domainId: id };
    operation
      .set(keys.domain(projectId, id), domain)
      .set(keys.domainByHostname(workspaceId, hostname), place)
      .set(keys.zoneDomain(zone, workspaceId, id), place);
  }
}
