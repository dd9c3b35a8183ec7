/** Wires up custom domains and their certificates. @module */
import * as z from "zod";
import type { Domain } from "../../contract/domains.ts";
import { MAX_COUNTED } from "../../contract/usage.ts";
import type { SiteDirectory } from "../../edge/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { askAll } from "../core/peers/mod.ts";
import {
  AcmeIssuer,
  type AcmeOptions,
  CertificateService,
  CertificateStore,
  challenge,
  type Dns01Challenges,
  PendingChallenges,
} from "../certificates/mod.ts";
import type { DnsLookup } from "./dns_lookup.ts";
import {
  DomainService,
  type DomainServices,
  type DomainSettings,
  MAX_DOMAINS,
} from "./domain_service.ts";
import { countBelow, keys } from "../core/store/mod.ts";
import { DomainStore } from "./domain_store.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Caller } from "../core/access/mod.ts";
import { type EnvironmentStore, findEnvironmentName } from "../environments/mod.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import { type DomainRecord, domainToWire } from "./domain.ts";

interface DomainRouteServices {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly domains: DomainStore;
  readonly domainService: DomainService;
  certificateOf(hostname: string): Domain["certificate"];
}

function bindDomainRoutes(router: Router, services: DomainRouteServices): void {
  const { projects, environments, domains, domainService, certificateOf } = services;

  const toWire = async (domain: DomainRecord): Promise<Domain> =>
    domainToWire(domain, {
      owner: await domains.owner(domain.zone),
      certificate: certificateOf(domain.hostname),
    });

  async function find(caller: Caller, params: { project: string; domain: string }) {
    const project = await findProject(projects, caller, params.project);
    const domain = await domains.find(project.id, params.domain);
    if (domain !== undefined) return domain;
    throw new Failure(
      "not_found",
      `Domain ${params.domain} does not exist in project "${project.name}"`,
    );
  }

  router.guarded(endpoints.listDomains, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const page = await domains.list(project.id, query);
    return { items: await Promise.all(page.items.map(toWire)), nextCursor: page.nextCursor };
  });

  router.guarded(endpoints.addDomain, async (caller, { params, body }) => {
    const project = await findProject(projects, caller, params.project);
    const environment = await findEnvironmentName(environments, project, body.environment);
    const added = await domainService.add(project, { hostname: body.hostname, environment });
    return {
      domain: await toWire(added.domain),
      companion: added.companion === undefined ? null : await toWire(added.companion),
      records: added.records,
      notes: added.notes,
    };
  });

  router.guarded(endpoints.getDomain, async (caller, { params }) => {
    const domain = await find(caller, params);
    return { domain: await toWire(domain), ...await domainService.plan(domain) };
  });

  router.guarded(endpoints.verifyDomain, async (caller, { params, note }) => {
    const domain = await find(caller, params);
    note({ before: await toWire(domain) });
    const report = await domainService.verify(domain);
    return { domain: await toWire(await find(caller, params)), ...report };
  });

  router.guarded(endpoints.deleteDomain, async (caller, { params, note }) => {
    const domain = await find(caller, params);
    note({ before: domain });
    await domainService.remove(domain);
    return undefined;
  });
}

export interface DomainSetup {
  readonly settings: DomainSettings;
  readonly dns: DnsLookup;
  /** The certificate authority; `undefined` if none is used. */
  readonly acme: AcmeOptions | undefined;
  /** Opens the DNS challenges for the base domain; `undefined` if they are not possible. */
  readonly dns01: ((records: PendingChallenges) => Dns01Challenges) | undefined;
  /**
   * The platform's own hosts that should have a certificate, and a wildcard for names under them.
   */
  readonly ownNames: readonly string[];
  /** Whether deployments' hosts get a certificate on the first connection. */
  readonly ordersOnDemand: boolean;
  readonly baseDomain: string;
  /**
   * Called with hostnames whose certificates were changed or removed. Resolves when clients see the
   * change.
   */
  onCertificates(hostnames: readonly string[]): Promise<void>;
}

export interface Domains {
  readonly domains: Pick<DomainStore, "hostnamesOf">;
  readonly domainService: DomainService;
  /** Pending challenges from certificate authorities. */
  readonly challenges: PendingChallenges;
  /** `undefined` if no certificates are ordered. */
  readonly certificates: CertificateService | undefined;
  readonly capability: Capability;
}

const NO_CERTIFICATE: Domain["certificate"] = { status: "none", expiresAt: null, error: null };

export function createDomains(
  foundation: Foundation,
  parts: Pick<DomainServices, "projects"> & Pick<DomainRouteServices, "environments"> & {
    /** The platform's hosts that serve deployments. */
    readonly sites: Pick<SiteDirectory, "deploymentAt" | "hostnames">;
  },
  { settings, dns, acme, ownNames, ordersOnDemand, baseDomain, onCertificates, ...setup }:
    DomainSetup,
): Domains {
  const { kv, nodes, peers, box, feed, addresses, now, random, closing, log } = foundation;
  const domains = new DomainStore(kv);
  const domainService: DomainService = new DomainService({
    ...parts,
    domains,
    feed,
    addresses,
    dns,
    settings,
    now,
    random,
    orders: {
      wake: () => certificates?.wake(),
      retry: (hostname) => certificates?.retry(hostname),
      servedChanged: async (hostnames): Promise<void> =>
        await certificates?.servedChanged(hostnames),
    },
  });
  const { hosts } = domainService;
  const challenges = new PendingChallenges(
    nodes.isShared ? kv : undefined,
    (data) =>
      askAll(peers, {
        name: "acme-challenge",
        data: () => data,
        schema: z.literal(true),
        withLost: false,
        closing,
      }),
  );
  peers.answer("acme-challenge", challenge, async function* (told) {
    challenges.take(told);
    yield await Promise.resolve(true);
  });
  const dns01 = setup.dns01?.(challenges);
  const store = new CertificateStore(kv, box);
  const { sites } = parts;
  /** Authorities reject hosts whose label starts with `_`. */
  const isBelowBase = (hostname: string) =>
    !hostname.startsWith("_") && hostname.endsWith(`.${baseDomain}`);
  const certificates = acme && new CertificateService({
    store,
    issuer: new AcmeIssuer({
      ...acme,
      store,
      challenges,
      lookUpCaa: async (name) => {
        const found = await dns.lookup(name, "CAA");
        return found.type === "failed" ? undefined : found.type === "found" ? found.values : [];
      },
      dnsFor: (hostname) => hostname === baseDomain || isBelowBase(hostname) ? dns01 : undefined,
    }),
    names: () => [...ownNames, ...hosts.names()],
    wants: (hostname) => hosts.has(hostname) || ownNames.includes(hostname),
    hosts: () => ordersOnDemand ? sites.hostnames().filter(isBelowBase) : [],
    onDemand: (hostname) =>
      ordersOnDemand && isBelowBase(hostname) && sites.deploymentAt(hostname) !== undefined,
    nodes,
    now,
    random,
    log,
    onChanged: async (hostnames) => {
      if (hostnames.length === 0) return;
      await Promise.all([
        onCertificates(hostnames),
        feed.publish({ type: "certificates_changed", hostnames }),
      ]);
    },
  });
  const certificateOf = (hostname: string): Domain["certificate"] =>
    certificates !== undefined && hosts.has(hostname)
      ? certificates.describe(hostname)
      : NO_CERTIFICATE;
  return {
    domains,
    domainService,
    challenges,
    certificates,
    capability: {
      name: "domains",
      bindRoutes: (router) =>
        bindDomainRoutes(router, { ...parts, domains, domainService, certificateOf }),
      async recover() {
        await challenges.reread();
        await certificates?.load();
        await domainService.recover();
      },
      async storeChanged(changed) {
        await challenges.follow(changed);
        await certificates?.follow(changed);
        await domainService.follow(changed);
      },
      async rereadStore() {
        await challenges.reread();
        await certificates?.load();
        await domainService.recover();
      },
      whenListening: () => certificates?.start(),
      close: () => certificates?.close(),
      forgetProject: (projectId) => domainService.forgetProject(projectId),
      removeProject: (projectId) => domains.removeProject(projectId),
      async projectUsage(projectId) {
        const used = await countBelow(kv, keys.domains(projectId), MAX_COUNTED);
        return [{ subject: "domains", of: null, used, limit: MAX_DOMAINS }];
      },
    },
  };
}
