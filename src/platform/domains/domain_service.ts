/**
 * Changes to custom domains: binding, verification, removal. Each change is committed first. Then
 * the zone's state is read back from the store. Only one read runs at a time, so the state in
 * memory follows the store even if changes overlap.
 *
 * @module
 */
import { DomainHosts } from "../../edge/mod.ts";
import type { Publisher } from "../../feed/mod.ts";
import { Buffer } from "node:buffer";
import type { DnsCheck, DnsRecord } from "../../contract/domains.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import type { Addresses } from "../core/addresses.ts";
import { latestLabel } from "../environments/mod.ts";
import { Failure } from "../core/http/mod.ts";
import type { ProjectRecord, ProjectStore } from "../projects/mod.ts";
import type { DnsAnswer, DnsLookup } from "./dns_lookup.ts";
import {
  isApex,
  notesOn,
  proofName,
  proofValue,
  recordsToSet,
  type RoutingTarget,
} from "./dns_plan.ts";
import { type DomainRecord, isVerified, type ZoneOwnerRecord, type ZoneRecord } from "./domain.ts";
import { companionOf, parseDomainName } from "./domain_name.ts";
import type { DomainStore } from "./domain_store.ts";
import type { RecordKey } from "../../store/mod.ts";
import { judgeProof, judgeRouting } from "./judge_dns.ts";

const NOTHING: DnsAnswer = { type: "missing", reason: "NODATA" };

interface ProofReport {
  readonly check: DnsCheck;
  readonly answer: DnsAnswer;
}

/**
 * Looks up a zone's proof. If it is missing, also looks up the name that results from a common
 * mistake.
 */
async function checkProof(dns: DnsLookup, zone: ZoneRecord): Promise<ProofReport> {
  const [name, expected] = [proofName(zone.zone), proofValue(zone)];
  const answer = await dns.lookup(name, "TXT");
  const doubled = answer.type === "missing"
    ? await dns.lookup(`${name}.${zone.zone}`, "TXT")
    : NOTHING;
  return { check: judgeProof({ name, expected, answer, doubled }), answer };
}

async function addressesOf(dns: DnsLookup, hostname: string): Promise<string[]> {
  const answers = await Promise.all([dns.lookup(hostname, "A"), dns.lookup(hostname, "AAAA")]);
  return answers.flatMap((answer) => answer.type === "found" ? answer.values : []);
}

/** Looks up the addresses that a domain's visitors reach. */
async function checkRouting(
  dns: DnsLookup,
  domain: DomainRecord,
  target: RoutingTarget,
): Promise<DnsCheck> {
  const { hostname } = domain;
  const [cname, a, aaaa, addresses] = await Promise.all([
    dns.lookup(hostname, "CNAME"),
    dns.lookup(hostname, "A"),
    dns.lookup(hostname, "AAAA"),
    target.addresses.length > 0 ? target.addresses : addressesOf(dns, target.hostname),
  ]);
  const apex = isApex(domain);
  return judgeRouting({ hostname, apex, target: target.hostname, addresses, cname, a, aaaa });
}

export const MAX_DOMAINS = 200;

const TOKEN_BYTES = 20;

export interface DomainSettings {
  readonly target: RoutingTarget;
  /** The platform's own hosts. These hosts, and all names under them, cannot be bound. */
  readonly reserved: readonly string[];
  readonly acme: boolean;
}

export interface DomainServices {
  readonly domains: DomainStore;
  readonly projects: ProjectStore;
  readonly feed: Publisher;
  readonly addresses: Addresses;
  readonly dns: DnsLookup;
  readonly settings: DomainSettings;
  readonly now: Clock;
  readonly random: Random;
  readonly orders: CertificateOrders;
}

/** Orders certificates for the names that are served. */
interface CertificateOrders {
  /** Called when the served names have changed. */
  wake(): void;
  /**
   * Called with names that are now served, or no longer served. Resolves when handshakes reflect
   * the change.
   */
  servedChanged(hostnames: readonly string[]): Promise<void>;
  /**
   * Called when someone is waiting for `hostname`. An earlier failed order is retried immediately.
   */
  retry(hostname: string): void;
}

interface AddedDomains {
  readonly domain: DomainRecord;
  readonly companion: DomainRecord | undefined;
  readonly records: DnsRecord[];
  readonly notes: string[];
}

/** Returns whether a response shows that a zone's proof is missing. */
function lacksProof(answer: DnsAnswer, zone: ZoneRecord | undefined): boolean {
  if (answer.type === "failed") return false;
  return zone === undefined || answer.type === "missing" ||
    !answer.values.includes(proofValue(zone));
}

export class DomainService {
  readonly hosts = new DomainHosts();
  #refreshing: Promise<void> = Promise.resolve();

  readonly #services: DomainServices;

  constructor(services: DomainServices) {
    this.#services = services;
    services.feed.include(() => this.hosts.current());
  }

  /**
   * Binds a domain, and its apex or `www` as a redirect. @throws {Failure} `invalid_request`,
   * `conflict`
   */
  async add(
    project: ProjectRecord,
    wanted: { readonly hostname: string; readonly environment: string },
  ): Promise<AddedDomains> {
    const { domains, settings, now, random } = this.#services;
    const parsed = await parseDomainName(wanted.hostname, settings);
    if (!parsed.ok) {
      const message = `Cannot add the domain: ${parsed.reason}`;
      const problems = [{ path: "body.hostname", message: parsed.reason }];
      throw new Failure("invalid_request", message, { problems });
    }
    await this.#requireRoom(project);
    const { hostname, zone } = parsed.name;
    const { workspaceId } = project;
    await this.#requireFree(zone, workspaceId);
    const record = (name: string, redirectTo: string | null): DomainRecord => ({
      id: uuidV7(now, random),
      workspaceId,
      projectId: project.id,
      hostname: name,
      zone,
      environment: wanted.environment,
      redirectTo,
      createdAt: now(),
      lastCheck: null,
    });
    const other = companionOf(parsed.name);
    const token = Buffer.from(random(TOKEN_BYTES)).toString("hex");
    const outcome = await domains.bind(record(hostname, null), {
      companion: other === undefined ? undefined : record(other, hostname),
      newZone: { workspaceId, zone, token, createdAt: now() },
    });
    if (outcome.type === "project_gone") throw new Failure("not_found", "The project was deleted");
    if (outcome.type === "taken") throw await this.#taken(project, outcome.by);
    await this.#refreshZone(zone);
    const added = [outcome.domain, ...(outcome.companion === undefined ? [] : [outcome.companion])];
    return {
      domain: outcome.domain,
      companion: outcome.companion,
      records: recordsToSet(added, { zone: outcome.zone, target: settings.target }),
      notes: notesOn(added, settings),
    };
  }

  async plan(domain: DomainRecord): Promise<Pick<AddedDomains, "records" | "notes">> {
    const zone = await this.#requireZone(domain);
    const { settings } = this.#services;
    return {
      records: recordsToSet([domain], { zone, target: settings.target }),
      notes: notesOn([domain], settings),
    };
  }

  /**
   * Makes the workspace the zone's owner if the proof is found and no other workspace still has a
   * proof.
   */
  async verify(
    domain: DomainRecord,
  ): Promise<{ readonly checks: DnsCheck[]; readonly notes: string[] }> {
    const { domains, dns, settings, orders, now } = this.#services;
    const zone = await this.#requireZone(domain);
    const [proof, routing] = await Promise.all([
      checkProof(dns, zone),
      checkRouting(dns, domain, settings.target),
    ]);
    const before = await domains.owner(zone.zone);
    const owner = proof.check.ok ? await this.#claim(zone, proof.answer) : before;
    const checks = [proof.check, routing];
    const lastCheck = { checkedAt: now(), checks };
    await domains.update([domain.projectId, domain.id], (current) => ({ ...current, lastCheck }));
    await this.#refreshZone(zone.zone);
    const notes = notesOn([domain], settings);
    if (isVerified(domain, owner)) orders.retry(domain.hostname);
    else {
      if (proof.check.ok) {
        notes.push("Another workspace owns this domain, and its ownership record still exists");
      }
      return { checks, notes };
    }
    if (!proof.check.ok) {
      notes.push(
        "The domain is still verified, but its ownership record was not found. Add the record again. Otherwise another workspace can take over the domain",
      );
    }
    return { checks, notes };
  }

  /** Stops serving a domain and the redirect to it, and removes both. */
  async remove(domain: DomainRecord): Promise<void> {
    const { domains } = this.#services;
    const siblings = await domains.ofZone(domain.zone, domain.workspaceId);
    for (const sibling of siblings) {
      const leadsHere = sibling.redirectTo === domain.hostname &&
        sibling.projectId === domain.projectId;
      if (leadsHere) await domains.unbind(sibling);
    }
    await domains.unbind(domain);
    await this.#refreshZone(domain.zone);
  }

  /** Lists the project's served names that led to this platform at the last lookup. */
  async hostsHere(projectId: string): Promise<string[]> {
    const { items } = await this.#services.domains.list(projectId, { limit: MAX_DOMAINS });
    return items.filter(({ hostname, zone, lastCheck }) =>
      this.hosts.namesOf(zone).has(hostname) && !hostname.startsWith("*.") &&
      lastCheck?.checks.some(({ purpose, ok }) => purpose === "routing" && ok) === true
    ).map(({ hostname }) => hostname);
  }

  async forgetProject(projectId: string): Promise<void> {
    for (const zone of this.hosts.zonesOf(projectId)) await this.#refreshZone(zone);
  }

  /** Reads from the store what each custom hostname serves. */
  async recover(): Promise<void> {
    for await (const { zone } of this.#services.domains.owners()) await this.#refreshZone(zone);
  }

  /** Rereads the zones whose records another node has changed. */
  async follow(changed: readonly RecordKey[]): Promise<void> {
    const zones = changed.filter(([family]) =>
      family === "zone_owners" || family === "zone_domains"
    )
      .map(([, zone]) => String(zone));
    for (const zone of new Set(zones)) await this.#refreshZone(zone);
  }

  /** Reads a zone's bindings. Reads run one at a time. */
  #refreshZone(zone: string): Promise<void> {
    const round = this.#refreshing.then(() => this.#readZone(zone));
    this.#refreshing = round.catch(() => {});
    return round;
  }

  async #readZone(zone: string): Promise<void> {
    const { domains, projects, addresses, orders } = this.#services;
    const owner = await domains.owner(zone);
    const records = owner === undefined ? [] : await domains.ofZone(zone, owner.workspaceId);
    const bindings = [];
    for (const domain of records) {
      const project = await projects.find(domain.workspaceId, domain.projectId);
      if (project === undefined) continue;
      const { projectId, environment, redirectTo } = domain;
      const host = addresses.hostname(latestLabel(project, environment));
      bindings.push({
        hostname: domain.hostname,
        route: { projectId, environment, host, redirectTo },
      });
    }
    const served = new Set(bindings.map(({ hostname }) => hostname));
    const changed = served.symmetricDifference(this.hosts.namesOf(zone));
    this.hosts.replaceZone(zone, bindings);
    await this.#services.feed.publish({ type: "zone_replaced", zone, bindings });
    await orders.servedChanged([...changed]);
    orders.wake();
  }

  async #claim(zone: ZoneRecord, seen: DnsAnswer): Promise<ZoneOwnerRecord> {
    const { domains, now } = this.#services;
    const claim = { workspaceId: zone.workspaceId, verifiedAt: now() };
    return await domains.claim(zone.zone, claim, async (owner) => {
      const theirs = await domains.zone(owner.workspaceId, zone.zone);
      return lacksProof(seen, theirs);
    });
  }

  /**
   * Rejects a zone that another workspace owns, if that workspace's proof still exists or cannot be
   * looked up.
   */
  async #requireFree(zone: string, workspaceId: string): Promise<void> {
    const { domains, dns } = this.#services;
    const owner = await domains.owner(zone);
    if (owner === undefined || owner.workspaceId === workspaceId) return;
    const theirs = await domains.zone(owner.workspaceId, zone);
    if (theirs === undefined) return;
    const { answer } = await checkProof(dns, theirs);
    if (lacksProof(answer, theirs)) return;
    throw new Failure(
      "conflict",
      `Domain ${zone} belongs to another workspace. If it is yours, remove the TXT records at ` +
        `_svc-challenge.${zone} first`,
    );
  }

  async #requireRoom(project: ProjectRecord): Promise<void> {
    const { items } = await this.#services.domains.list(project.id, { limit: MAX_DOMAINS });
    if (items.length < MAX_DOMAINS) return;
    throw new Failure(
      "conflict",
      `Project "${project.name}" has the maximum of ${MAX_DOMAINS} domains: remove one first`,
    );
  }

  async #requireZone(domain: DomainRecord): Promise<ZoneRecord> {
    const zone = await this.#services.domains.zone(domain.workspaceId, domain.zone);
    if (zone === undefined) throw new Failure("not_found", "The domain was removed");
    return zone;
  }

  async #taken(project: ProjectRecord, by: DomainRecord): Promise<Failure> {
    const { projects } = this.#services;
    const owner = by.projectId === project.id
      ? project
      : await projects.find(by.workspaceId, by.projectId);
    const where = owner === undefined ? "another project" : `project "${owner.name}"`;
    return new Failure(
      "conflict",
      `Domain ${by.hostname} is already used by ${where} (${by.environment}). Remove it there first`,
    );
  }
}
