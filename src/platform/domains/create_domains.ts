/**
 * Composes custom domains and their certificates.
 *
 * @module
 */
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
  Http01Challenges,
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
import { bindDomainRoutes, type DomainRouteServices } from "./routes.ts";

/** The operator's settings for domains. */
export interface DomainSetup {
  readonly settings: DomainSettings;
  readonly dns: DnsLookup;
  /** The authority for certificates; `undefined` if none is used. */
  readonly acme: AcmeOptions | undefined;
  /** Proves the base domain by DNS; `undefined` if nothing can. */
  readonly dns01: Dns01Challenges | undefined;
  /** Hosts of the platform itself that should have a certificate, and a wildcard for all below. */
  readonly ownNames: readonly string[];
  /** Whether hosts of deployments get a certificate when a client first asks for it. */
  readonly ordersOnDemand: boolean;
  readonly baseDomain: string;
  /** Called with hostnames that have other certificates, or none; resolves when clients see it. */
  onCertificates(hostnames: readonly string[]): Promise<void>;
}

/** Custom domains, and the parts of them that the listeners need. */
export interface Domains {
  readonly domains: Pick<DomainStore, "hostnamesOf">;
  readonly domainService: DomainService;
  /** Pending challenges of certificate authorities. */
  readonly challenges: Http01Challenges;
  /** `undefined` if none are ordered. */
  readonly certificates: CertificateService | undefined;
  readonly capability: Capability;
}

const NO_CERTIFICATE: Domain["certificate"] = { status: "none", expiresAt: null, error: null };

export function createDomains(
  foundation: Foundation,
  parts: Pick<DomainServices, "projects"> & Pick<DomainRouteServices, "environments"> & {
    /** The hosts of the platform that show deployments. */
    readonly sites: Pick<SiteDirectory, "deploymentAt" | "hostnames">;
  },
  { settings, dns, acme, dns01, ownNames, ordersOnDemand, baseDomain, onCertificates }: DomainSetup,
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
  const challenges = new Http01Challenges(nodes.isShared ? kv : undefined, (data) =>
    askAll(peers, {
      name: "acme-challenge",
      data: () => data,
      schema: z.literal(true),
      withLost: false,
      closing,
    }));
  peers.answer("acme-challenge", challenge, async function* (told) {
    challenges.take(told);
    yield await Promise.resolve(true);
  });
  const store = new CertificateStore(kv, box);
  const { sites } = parts;
  /** Authorities refuse the hosts of pictures, whose label begins with `_`. */
  const isBelowBase = (hostname: string) =>
    !hostname.startsWith("_") && hostname.endsWith(`.${baseDomain}`);
  const certificates = acme && new CertificateService({
    store,
    issuer: new AcmeIssuer({
      ...acme,
      store,
      challenges,
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
    onChanged: onCertificates,
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
