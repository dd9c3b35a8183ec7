/**
 * The supported DNS services, and their credentials.
 *
 * @module
 */
import type { Settings } from "../../../settings/mod.ts";
import { cloudflare } from "./cloudflare.ts";
import { desec } from "./desec.ts";
import { digitalocean } from "./digitalocean.ts";
import type { DnsProvider } from "./dns_provider.ts";
import { hetzner } from "./hetzner.ts";
import { parseTsigKey, rfc2136 } from "./rfc2136.ts";
import { route53 } from "./route53.ts";

interface DnsAccess {
  /** The API token, or the key in the provider's format. */
  readonly token: string | undefined;
  /** The name server that accepts updates. */
  readonly server: { readonly address: string; readonly port: number } | undefined;
}

/** svc's own name server does not need credentials. */
type DnsProviderName = Exclude<NonNullable<Settings["acmeDns"]>["provider"], "svc">;

type Open = (access: DnsAccess & { readonly token: string }) => DnsProvider;

const PROVIDERS: Readonly<Record<DnsProviderName, Open>> = {
  cloudflare: ({ token }) => cloudflare(token),
  desec: ({ token }) => desec(token),
  digitalocean: ({ token }) => digitalocean(token),
  hetzner: ({ token }) => hetzner(token),
  rfc2136: ({ token, server }) => {
    const key = parseTsigKey(token);
    if (server === undefined) {
      throw new TypeError("Set the name server that accepts updates with --acme-dns-server");
    }
    if (key === undefined) {
      throw new TypeError(
        "SVC_ACME_DNS_TOKEN must be the TSIG key: algorithm:name:base64, such as " +
          "hmac-sha256:svc-key:c2VjcmV0",
      );
    }
    return rfc2136(server, key);
  },
  route53: ({ token }) => {
    const [accessKeyId = "", secretAccessKey = ""] = token.split(":", 2);
    if (accessKeyId === "" || secretAccessKey === "") {
      throw new TypeError("SVC_ACME_DNS_TOKEN must be the access key: id:secret");
    }
    return route53({ accessKeyId, secretAccessKey });
  },
};

/** @throws {TypeError} if the credentials do not have the provider's format */
export function openDnsProvider(
  name: DnsProviderName,
  { token, server }: DnsAccess,
): DnsProvider {
  if (token === undefined) {
    throw new TypeError(`Set SVC_ACME_DNS_TOKEN together with --acme-dns ${name}`);
  }
  return PROVIDERS[name]({ token, server });
}
