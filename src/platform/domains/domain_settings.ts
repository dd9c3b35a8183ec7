/** The platform's options for custom domains and certificates, validated. @module */
import { isIP } from "node:net";
import { readTextFile } from "../../lib/utf8.ts";
import type { Settings } from "../../settings/mod.ts";
import {
  type AcmeOptions,
  delegationsOf,
  Dns01Challenges,
  openDnsProvider,
  ownServer,
} from "../certificates/mod.ts";
import { lookAtNameServers, seenIn } from "./authoritative_lookup.ts";
import { DnsClient, parseDnsServer } from "./dns_client.ts";
import type { LookupType } from "./dns_lookup.ts";
import type { DomainSetup } from "./create_domains.ts";
import { parseDomainName } from "./domain_name.ts";

type DomainOptions = Pick<
  Settings,
  | "baseDomain"
  | "dns"
  | "dnsServer"
  | "publicAddresses"
  | "tls"
  | "acme"
  | "acmeDns"
  | "https"
>;

/** The label under the base domain to which custom domains' CNAME records point. */
const TARGET_LABEL = "cname";

const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";

/**
 * Returns whether a certificate authority could issue a certificate for a name. For `localhost`,
 * for example, none could.
 */
const isPublicName = async (name: string): Promise<boolean> =>
  (await parseDomainName(name, { reserved: [] })).ok;

async function publicNames(names: readonly string[]): Promise<string[]> {
  const arePublic = await Promise.all(names.map(isPublicName));
  return names.filter((_, index) => arePublic[index]);
}

/** Returns whether certificates are ordered. */
export const ordersCertificates = ({ https, acme }: Pick<Settings, "https" | "acme">): boolean =>
  https === true || acme?.directoryUrl !== undefined;

async function readAcmeOptions(options: DomainOptions): Promise<AcmeOptions | undefined> {
  const { https = false, acme = {}, acmeDns, baseDomain } = options;
  if (!ordersCertificates(options)) {
    if (Object.keys(acme).length === 0 && acmeDns === undefined) return undefined;
    throw new TypeError("Cannot request certificates: set --https or --acme-directory");
  }
  if ((https || acmeDns !== undefined) && !await isPublicName(baseDomain.toLowerCase())) {
    throw new TypeError(
      `Cannot request certificates for the hosts of ${baseDomain}: set a public --base-domain`,
    );
  }
  const { directoryUrl = LETS_ENCRYPT, contact, serverCaFile: ca } = acme;
  if (!https && acme.termsAgreed !== true) {
    throw new TypeError(
      `Cannot request certificates from ${directoryUrl}: agree to its terms of service first`,
    );
  }
  const serverCa = ca === undefined ? undefined : await readTextFile(ca);
  return { directoryUrl, contact, termsAgreed: true, serverCa };
}

/** Returns the names of svc's own name servers. */
export function nameServersOf(
  { dns, baseDomain }: Pick<Settings, "dns" | "baseDomain">,
): readonly string[] {
  return dns?.names ?? [`ns.${baseDomain.toLowerCase()}`];
}

function openDns01(
  options: DomainOptions,
  dns: DnsClient,
  onTrouble: (message: string) => void,
): DomainSetup["dns01"] {
  const { acmeDns, baseDomain, dnsServer } = options;
  const nameServers = nameServersOf(options);
  if (acmeDns === undefined) return undefined;
  const { provider: name, token, server, alias } = acmeDns;
  if (name === "svc") {
    if (options.dns === undefined) {
      throw new TypeError("Set --dns-port together with --acme-dns svc");
    }
    const delegations = delegationsOf(baseDomain.toLowerCase(), { alias, nameServers });
    const look = async (name: string, type: LookupType) => seenIn(await dns.lookup(name, type));
    return (records) =>
      new Dns01Challenges({
        provider: ownServer({ records, delegations, look }),
        alias,
        onTrouble,
        // Looks up the name through the delegation, as the certificate authority does.
        look: async (name) => [await look(name, "TXT")],
      });
  }
  const provider = openDnsProvider(name, {
    token,
    server: server === undefined ? undefined : parseDnsServer(server),
  });
  const look = (name: string) => lookAtNameServers(name, dnsServer === undefined ? undefined : dns);
  return () => new Dns01Challenges({ provider, alias, onTrouble, look });
}

/** @throws {TypeError} for invalid addresses, or certificate settings that do not fit together. */
export async function readDomainOptions(
  options: DomainOptions,
  context: Pick<DomainSetup, "onCertificates"> & {
    readonly publicHost: string;
    readonly onTrouble: (message: string) => void;
  },
): Promise<DomainSetup> {
  const { dnsServer, publicAddresses = [], baseDomain } = options;
  for (const address of publicAddresses) {
    if (isIP(address) !== 0) continue;
    throw new TypeError(`Cannot use the public address "${address}": it must be an IP address`);
  }
  const acme = await readAcmeOptions(options);
  const domain = baseDomain.toLowerCase();
  if (options.dns !== undefined && !await isPublicName(domain)) {
    throw new TypeError(
      `Cannot respond to DNS queries for ${domain}: set a public --base-domain`,
    );
  }
  const names = new Set([domain, context.publicHost.toLowerCase()]);
  const reserved = [...names].filter((name) => isIP(name) === 0);
  const dns = new DnsClient(
    dnsServer === undefined ? {} : { servers: [parseDnsServer(dnsServer)] },
  );
  const dns01 = openDns01(options, dns, context.onTrouble);
  const own = options.tls === undefined ? await publicNames(reserved) : [];
  return {
    settings: {
      target: { hostname: `${TARGET_LABEL}.${domain}`, addresses: publicAddresses },
      reserved,
      acme: acme !== undefined,
    },
    dns,
    acme,
    dns01,
    ownNames: dns01 === undefined ? own : [...new Set([...own, domain, `*.${domain}`])],
    ordersOnDemand: options.https === true && dns01 === undefined && options.tls === undefined,
    baseDomain: domain,
    onCertificates: context.onCertificates,
  };
}
