/**
 * Orders certificates from a certificate authority (RFC 8555), with HTTP-01 or DNS-01.
 *
 * @module
 */
import type { Authorization, Client, Order } from "acme-client";
import * as z from "zod";
import type { CertificateStore } from "./certificate_store.ts";
import { type KeyPair, renewalId } from "./certificate.ts";
import type { Http01Challenges } from "./challenges.ts";
import type { Dns01Challenges } from "./dns/dns01_challenges.ts";
import type { Lease, Led } from "../../store/mod.ts";

/** Time for one request to the authority. */
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** How often the state of an order is polled, and how far apart. */
const POLLING = { backoffAttempts: 12, backoffMin: 500, backoffMax: 15_000 } as const;
/** Requests that fail with a network error or 5xx are retried once, after a second. */
const RETRIES = { retryMaxAttempts: 1, retryDefaultDelay: 1 } as const;

export interface AcmeOptions {
  /** Directory of the authority, such as `https://acme-v02.api.letsencrypt.org/directory`. */
  readonly directoryUrl: string;
  /** Email address where the authority may contact the operator. */
  readonly contact?: string;
  /** The operator agrees to the authority's terms of service. */
  readonly termsAgreed: boolean;
  /** Certificates (PEM) to trust a private authority's server, in addition to the system's. */
  readonly serverCa?: string;
}

export interface IssueOptions {
  readonly lease: Lease;
  /** The certificate (PEM) that this order renews. */
  readonly replaces?: string | undefined;
}

/** When the authority wants a certificate to be renewed (RFC 9773). */
export interface RenewalWindow {
  /** In milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  /** When to ask again, in seconds. */
  readonly retryAfter: number;
}

export interface Issuer {
  /** Orders one certificate for all the names; rejects with the authority's message. */
  issue(hostnames: readonly string[], options: IssueOptions): Promise<KeyPair>;
  /** `undefined` if the authority has no renewal window for a certificate. */
  renewalWindow(cert: string, lease: Lease): Promise<RenewalWindow | undefined>;
}

/**
 * acme-client 5.4 reports a request without a response like this: it reads a field of `undefined`.
 */
const isUnanswered = (error: unknown): boolean =>
  error instanceof TypeError && error.message.includes("reading 'config'");

/** The authority already has a replacement of the certificate (RFC 9773, 5). */
const isReplaced = (error: unknown): boolean =>
  error instanceof Error && /already (?:been )?(?:marked as )?replaced/i.test(error.message);

const directorySchema = z.object({ renewalInfo: z.url().optional() });
const renewalSchema = z.object({
  suggestedWindow: z.object({
    start: z.iso.datetime({ offset: true }),
    end: z.iso.datetime({ offset: true }),
  }),
});

type Challenge = Authorization["challenges"][number];

type AcmeIssuerOptions = AcmeOptions & {
  readonly store: Led<Pick<CertificateStore, "accountKey">>;
  readonly challenges: Led<Http01Challenges>;
  /** The DNS challenges of a name; `undefined` if it is not proven by DNS. */
  readonly dnsFor: (hostname: string) => Dns01Challenges | undefined;
};

export class AcmeIssuer implements Issuer {
  #client: Promise<Client> | undefined;
  /** URL of the authority's renewal information; "" if there is none. */
  #renewalInfo: Promise<string> | undefined;

  readonly #options: AcmeIssuerOptions;

  constructor(options: AcmeIssuerOptions) {
    this.#options = options;
  }

  async issue(hostnames: readonly string[], options: IssueOptions): Promise<KeyPair> {
    try {
      return await this.#issue(hostnames, options);
    } catch (cause) {
      if (!isUnanswered(cause)) throw cause;
      throw new Error(
        `The certificate authority at ${this.#options.directoryUrl} did not respond`,
        {
          cause,
        },
      );
    }
  }

  async renewalWindow(cert: string, lease: Lease): Promise<RenewalWindow | undefined> {
    await this.#connected(lease);
    const [url, id] = [await this.#findRenewalInfo(), renewalId(cert)];
    if (url === "" || id === undefined) return undefined;
    const { default: acme } = await import("acme-client");
    const { data, headers } = await acme.axios.get(`${url.replace(/\/$/, "")}/${id}`);
    const { suggestedWindow: { start, end } } = renewalSchema.parse(data);
    return {
      start: Date.parse(start),
      end: Date.parse(end),
      retryAfter: Number(headers["retry-after"]) || 0,
    };
  }

  async #issue(
    hostnames: readonly string[],
    { lease, replaces }: IssueOptions,
  ): Promise<KeyPair> {
    const { default: acme } = await import("acme-client");
    const client = await this.#connected(lease);
    const order = await this.#order(client, hostnames, replaces);
    for (const authorization of await client.getAuthorizations(order)) {
      if (authorization.status !== "valid") await this.#prove(client, authorization, lease);
    }
    const [key, csr] = await acme.crypto.createCsr(
      { commonName: hostnames[0]!, altNames: [...hostnames] },
      await acme.crypto.createPrivateEcdsaKey(),
    );
    const cert = await client.getCertificate(await client.finalizeOrder(order, csr));
    return { cert, key: key.toString() };
  }

  async #order(
    client: Client,
    hostnames: readonly string[],
    replaces: string | undefined,
  ): Promise<Order> {
    const identifiers = hostnames.map((value) => ({ type: "dns", value }));
    const id = replaces !== undefined && await this.#findRenewalInfo() !== ""
      ? renewalId(replaces)
      : undefined;
    if (id === undefined) return await client.createOrder({ identifiers });
    try {
      const request = { identifiers, replaces: id };
      return await client.createOrder(request);
    } catch (error) {
      if (!isReplaced(error)) throw error;
      return await client.createOrder({ identifiers });
    }
  }

  async #prove(client: Client, authorization: Authorization, lease: Lease): Promise<void> {
    const { identifier: { value: domain }, wildcard } = authorization;
    const dns = this.#options.dnsFor(wildcard === true ? `*.${domain}` : domain);
    const type = dns === undefined ? "http-01" : "dns-01";
    const challenge = authorization.challenges.find((each) => each.type === type);
    if (challenge === undefined) {
      throw new Error(`The certificate authority offers no ${type} challenge for ${domain}`);
    }
    const answer = await client.getChallengeKeyAuthorization(challenge);
    try {
      if (dns === undefined) await this.#options.challenges.add(challenge.token, answer, lease);
      else await dns.add(domain, answer);
      await client.completeChallenge(challenge);
      await client.waitForValidStatus<Challenge>(challenge);
    } finally {
      if (dns === undefined) await this.#options.challenges.remove(challenge.token, lease);
      else await dns.remove(domain, answer);
    }
  }

  async #connected(lease: Lease): Promise<Client> {
    const connecting = this.#client ??= this.#connect(lease);
    connecting.catch(() => this.#client = undefined);
    return await connecting;
  }

  /** Reads or creates the account's key, and the account. */
  async #connect(lease: Lease): Promise<Client> {
    const { directoryUrl, contact, termsAgreed, serverCa, store } = this.#options;
    const { default: acme } = await import("acme-client");
    acme.axios.defaults.timeout = REQUEST_TIMEOUT_MS;
    acme.axios.defaults.maxContentLength = MAX_ANSWER_BYTES;
    // Deno 2.7's node:http never reports a truncated response.
    acme.axios.defaults.adapter = "fetch";
    Object.assign(acme.axios.defaults, {
      acmeSettings: RETRIES,
      ...(serverCa === undefined
        ? {}
        : { fetchOptions: { client: Deno.createHttpClient({ caCerts: [serverCa] }) } }),
    });
    const accountKey = await store.accountKey(
      directoryUrl,
      async () => (await acme.crypto.createPrivateEcdsaKey()).toString(),
      lease,
    );
    const client = new acme.Client({ directoryUrl, accountKey, ...POLLING });
    await client.createAccount({
      termsOfServiceAgreed: termsAgreed,
      ...(contact === undefined ? {} : { contact: [`mailto:${contact}`] }),
    });
    return client;
  }

  async #findRenewalInfo(): Promise<string> {
    const finding = this.#renewalInfo ??= readRenewalInfo(this.#options.directoryUrl);
    finding.catch(() => this.#renewalInfo = undefined);
    return await finding;
  }
}

async function readRenewalInfo(directoryUrl: string): Promise<string> {
  const { default: acme } = await import("acme-client");
  const { data } = await acme.axios.get(directoryUrl);
  return directorySchema.parse(data).renewalInfo ?? "";
}
