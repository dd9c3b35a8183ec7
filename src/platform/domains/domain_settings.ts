/**
 * The platform's options for custom domains, validated.
 *
 * @module
 */
import { isIP } from "node:net";
import { readTextFile } from "../../lib/utf8.ts";
import type { Settings } from "../../settings/mod.ts";
import { DnsClient, parseDnsServer } from "./dns_client.ts";
import type { DomainSetup } from "./create_domains.ts";
import { parseDomainName } from "./domain_name.ts";

/** The operator's options for hosts and certificates. */
type DomainOptions = Pick<
  Settings,
  "baseDomain" | "dnsServer" | "publicAddresses" | "tls" | "acme"
>;

/** Label below the base domain that CNAME records of custom domains point at. */
const TARGET_LABEL = "cname";

/** True for a name that a certificate authority could issue for, which `localhost` is not. */
const isPublicName = (name: string): boolean => parseDomainName(name, { reserved: [] }).ok;

/**
 * Validates the options.
 *
 * @throws {TypeError} for an invalid DNS server or public address, and for an
 * authority whose terms are not agreed to.
 */
export async function readDomainOptions(
  options: DomainOptions,
  context: Pick<DomainSetup, "onCertificates"> & { readonly publicHost: string },
): Promise<DomainSetup> {
  const { dnsServer, publicAddresses = [], baseDomain, acme } = options;
  for (const address of publicAddresses) {
    if (isIP(address) !== 0) continue;
    throw new TypeError(`Cannot use the public address "${address}": it must be an IP address`);
  }
  if (acme !== undefined && acme.termsAgreed !== true) {
    throw new TypeError(
      `Cannot order certificates from ${acme.directoryUrl}: its terms of service must be agreed to`,
    );
  }
  const domain = baseDomain.toLowerCase();
  const names = new Set([domain, context.publicHost.toLowerCase()]);
  const reserved = [...names].filter((name) => isIP(name) === 0);
  const ca = acme?.serverCaFile;
  return {
    settings: {
      target: { hostname: `${TARGET_LABEL}.${domain}`, addresses: publicAddresses },
      reserved,
      acme: acme !== undefined,
    },
    dns: new DnsClient(dnsServer === undefined ? {} : { servers: [parseDnsServer(dnsServer)] }),
    acme: acme &&
      {
        ...acme,
        termsAgreed: true,
        serverCa: ca === undefined ? undefined : await readTextFile(ca),
      },
    ownNames: options.tls === undefined ? reserved.filter(isPublicName) : [],
    onCertificates: context.onCertificates,
  };
}
