/**
 * The services of custom domains and their certificates, put together.
 *
 * @module
 */
import type { Domain } from "../../contract/mod.ts";
import type { PlatformLog } from "../core/log.ts";
import type { SecretBox } from "../core/secrets/secret_box.ts";
import { AcmeIssuer, type AcmeOptions } from "../certificates/acme_issuer.ts";
import { CertificateService } from "../certificates/certificate_service.ts";
import { CertificateStore } from "../certificates/certificate_store.ts";
import { Http01Challenges } from "../certificates/challenges.ts";
import type { DnsLookup } from "./dns_lookup.ts";
import { DomainService, type DomainServices, type DomainSettings } from "./domain_service.ts";
import { DomainStore } from "./domain_store.ts";

/** What the operator set up for domains. */
export interface DomainFoundation {
  readonly settings: DomainSettings;
  readonly dns: DnsLookup;
  /** Where certificates are ordered; `undefined` where they are not. */
  readonly acme: AcmeOptions | undefined;
  /** Hosts of the platform itself that shall have a certificate. */
  readonly ownNames: readonly string[];
  /** Told of a hostname whose certificate is new. */
  onIssued(hostname: string): void;
}

const NO_CERTIFICATE: Domain["certificate"] = { status: "none", expiresAt: null, error: null };

export function createDomainServices(
  base: Pick<DomainServices, "projects" | "sites" | "addresses" | "now" | "random"> & {
    readonly kv: Deno.Kv;
    readonly box: SecretBox;
    log(line: PlatformLog): void;
  },
  { settings, dns, acme, ownNames, onIssued }: DomainFoundation,
) {
  const { kv, box, now, random, log } = base;
  const domains = new DomainStore(kv);
  const domainService = new DomainService({
    ...base,
    domains,
    dns,
    settings,
    orders: {
      wake: () => certificates?.wake(),
      retry: (hostname) => certificates?.retry(hostname),
    },
  });
  const { hosts } = domainService;
  const challenges = new Http01Challenges();
  const store = new CertificateStore(kv, box);
  const certificates = acme && new CertificateService({
    store,
    issuer: new AcmeIssuer({ ...acme, store, challenges }),
    names: () => [...ownNames, ...hosts.names()],
    wants: (hostname) => hosts.has(hostname) || ownNames.includes(hostname),
    now,
    random,
    onIssued,
    log,
  });
  return {
    domains,
    domainService,
    challenges,
    certificates,
    /** What is known of a hostname's certificate. */
    certificateOf: (hostname: string): Domain["certificate"] =>
      certificates !== undefined && hosts.has(hostname)
        ? certificates.describe(hostname)
        : NO_CERTIFICATE,
  };
}
