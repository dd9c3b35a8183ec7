/**
 * Orders certificates from a certificate authority (RFC 8555), with HTTP-01 or DNS-01.
 *
 * @module
 */
import type { Authorization, Client, Order } from "acme-client";
import * as z from "zod";
import { AuthorityError, prepareRequests, secondsIn } from "./authority_requests.ts";
import { type CaaLookup, explainCaa } from "./caa.ts";
import type { CertificateStore } from "./certificate_store.ts";
import { type KeyPair, renewalId } from "./certificate.ts";
import type { PendingChallenges } from "./challenges.ts";
import type { Dns01Challenges } from "./dns/dns01_challenges.ts";
import type { Lease, Led } from "../../store/mod.ts";

/**
 * Maximum number of times that the state of an order is polled, and the time between polls in
 * milliseconds.
 */
const POLLING = { backoffAttempts: 12, backoffMin: 500, backoffMax: 15_000 } as const;
export interface AcmeOptions {
  /** The authority's directory URL, such as `https://acme-v02.api.letsencrypt.org/directory`. */
  readonly directoryUrl: string;
  /** Email address at which the authority can contact the operator. */
  readonly contact?: string;
  /** Whether the operator agrees to the authority's terms of service. */
  readonly termsAgreed: boolean;
  /**
   * Certificates (PEM) that are trusted in addition to the system's, for a private authority's
   * server.
   */
  readonly serverCa?: string;
}

interface IssueOptions {
  readonly lease: Lease;
  /** The certificate (PEM) that this order renews. */
  readonly replaces?: string | undefined;
}

/** When the authority wants a certificate to be renewed (RFC 9773). */
export interface RenewalWindow {
  /** In milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  /** How long to wait before the next request, in seconds. */
  readonly retryAfter: number;
}

export interface Issuer {
  /** Orders one certificate for all of the names. Rejects with the authority's message. */
  issue(hostnames: readonly string[], options: IssueOptions): Promise<KeyPair>;
  /**
   * Returns when the authority wants a certificate to be renewed, or `undefined` if it does not
   * state a time.
   */
  renewalWindow(cert: string, lease: Lease): Promise<RenewalWindow | undefined>;
}

/**
 * Returns whether the authority already knows of a replacement for the certificate (RFC 9773, 5).
 */
const isReplaced = (error: unknown): boolean =>
  error instanceof Error && /already (?:been )?(?:marked as )?replaced/i.test(error.message);

const directorySchema = z.object({
  renewalInfo: z.url().optional(),
  meta: z.object({ caaIdentities: z.array(z.string()).default([]) }).optional(),
});
type Directory = z.infer<typeof directorySchema>;
const renewalSchema = z.object({
  suggestedWindow: z.object({
    start: z.iso.datetime({ offset: true }),
    end: z.iso.datetime({ offset: true }),
  }),
});

type Challenge = Authorization["challenges"][number];

type AcmeIssuerOptions = AcmeOptions & {
  readonly store: Led<Pick<CertificateStore, "accountKey">>;
  readonly challenges: Led<PendingChallenges>;
  /**
   * Returns the DNS challenges for a name, or `undefined` if the name is not validated through DNS.
   */
  readonly dnsFor: (hostname: string) => Dns01Challenges | undefined;
  readonly lookUpCaa: CaaLookup;
};

export class AcmeIssuer implements Issuer {
  #client: Promise<Client> | undefined;
  #directory: Promise<Directory> | undefined;

  readonly #options: AcmeIssuerOptions;

  constructor(options: AcmeIssuerOptions) {
    this.#options = options;
  }

  async issue(hostnames: readonly string[], options: IssueOptions): Promise<KeyPair> {
    try {
      return await this.#issue(hostnames, options);
    } catch (error) {
      if (!(error instanceof Error) || !/\bCAA\b/i.test(error.message)) throw error;
      error.message += await this.#explainCaa(hostnames);
      throw error;
    }
  }

  /** Returns a sentence for each hostname whose CAA records do not allow this authority. */
  async #explainCaa(hostnames: readonly string[]): Promise<string> {
    const { meta } = await this.#readDirectory();
    const options = { identities: meta?.caaIdentities ?? [], look: this.#options.lookUpCaa };
    const found = new Set<string>();
    for (const hostname of hostnames) {
      const explanation = await explainCaa(hostname, options);
      if (explanation !== undefined) found.add(`. ${explanation}`);
    }
    return [...found].join("");
  }

  async renewalWindow(cert: string, lease: Lease): Promise<RenewalWindow | undefined> {
    await this.#connected(lease);
    const [{ renewalInfo: url }, id] = [await this.#readDirectory(), renewalId(cert)];
    if (url === undefined || id === undefined) return undefined;
    const { default: acme } = await import("acme-client");
    const { data, headers } = await acme.axios.get(`${url.replace(/\/$/, "")}/${id}`);
    const { suggestedWindow: { start, end } } = renewalSchema.parse(data);
    return {
      start: Date.parse(start),
      end: Date.parse(end),
      retryAfter: secondsIn(headers["retry-after"]),
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
    const id = replaces !== undefined && (await this.#readDirectory()).renewalInfo !== undefined
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

  /** Reads or creates the account and its key. */
  async #connect(lease: Lease): Promise<Client> {
    const { directoryUrl, contact, termsAgreed, store } = this.#options;
    const { default: acme } = await import("acme-client");
    prepareRequests(acme.axios, this.#options);
    const accountKey = await store.accountKey(
      directoryUrl,
      async () => (await acme.crypto.createPrivateEcdsaKey()).toString(),
      lease,
    );
    const client = new acme.Client({ directoryUrl, accountKey, ...POLLING });
    const given = contact === undefined ? {} : { contact: [`mailto:${contact}`] };
    try {
      // Also updates the contact. An existing account cannot agree to the terms again.
      await client.createAccount({ onlyReturnExisting: true, ...given });
    } catch (error) {
      if (!(error instanceof AuthorityError && error.type === "accountDoesNotExist")) throw error;
      await client.createAccount({ termsOfServiceAgreed: termsAgreed, ...given });
    }
    return client;
  }

  async #readDirectory(): Promise<Directory> {
    const reading = this.#directory ??= readDirectory(this.#options.directoryUrl);
    reading.catch(() => this.#directory = undefined);
    return await reading;
  }
}

async function readDirectory(directoryUrl: string): Promise<Directory> {
  const { default: acme } = await import("acme-client");
  const { data } = await acme.axios.get(directoryUrl);
  return directorySchema.parse(data);
}
