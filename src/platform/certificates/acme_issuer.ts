/**
 * Orders certificates from a certificate authority (RFC 8555), by HTTP-01.
 *
 * @module
 */
import type { Client } from "acme-client";
import type { CertificateStore } from "./certificate_store.ts";
import type { KeyPair } from "./certificate.ts";
import type { Http01Challenges } from "./challenges.ts";
import type { Lease, Led } from "../../store/mod.ts";

/** Time for one request to the authority. */
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** How often the state of an order is polled, and how far apart. */
const POLLING = { backoffAttempts: 12, backoffMin: 500, backoffMax: 15_000 } as const;
/** Requests that fail at the network or with 5xx are sent again once, a second later. */
const RETRIES = { retryMaxAttempts: 1, retryDefaultDelay: 1 } as const;

export interface AcmeOptions {
  /** Directory of the authority, such as `https://acme-v02.api.letsencrypt.org/directory`. */
  readonly directoryUrl: string;
  /** Email address at which the authority may contact the operator. */
  readonly contact: string;
  /** The operator agrees to the authority's terms of service. */
  readonly termsAgreed: boolean;
  /**
   * Certificates (PEM) by which a private authority's own server is trusted,
   * beside the system's.
   */
  readonly serverCa?: string;
}

export interface Issuer {
  /** Orders a certificate for one name; rejects with what the authority says. */
  issue(hostname: string, lease: Lease): Promise<KeyPair>;
}

/** How acme-client 5.4 reports a request that got no response: it reads a field of `undefined`. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof TypeError && error.message.includes("reading 'config'");

type AcmeIssuerOptions = AcmeOptions & {
  readonly store: Led<Pick<CertificateStore, "accountKey">>;
  readonly challenges: Led<Http01Challenges>;
};

export class AcmeIssuer implements Issuer {
  #client: Promise<Client> | undefined;

  readonly #options: AcmeIssuerOptions;

  constructor(options: AcmeIssuerOptions) {
    this.#options = options;
  }

  async issue(hostname: string, lease: Lease): Promise<KeyPair> {
    try {
      return await this.#order(hostname, lease);
    } catch (cause) {
      if (!isUnanswered(cause)) throw cause;
      throw new Error(`The certificate authority at ${this.#options.directoryUrl} did not answer`, {
        cause,
      });
    }
  }

  async #order(hostname: string, lease: Lease): Promise<KeyPair> {
    const { challenges, contact, termsAgreed } = this.#options;
    const { default: acme } = await import("acme-client");
    this.#client ??= this.#connect(lease);
    this.#client.catch(() => this.#client = undefined);
    const client = await this.#client;
    const [key, csr] = await acme.crypto.createCsr(
      { commonName: hostname, altNames: [hostname] },
      await acme.crypto.createPrivateEcdsaKey(),
    );
    const cert = await client.auto({
      csr,
      email: contact,
      termsOfServiceAgreed: termsAgreed,
      challengePriority: ["http-01"],
      skipChallengeVerification: true,
      challengeCreateFn: (_authorization, challenge, keyAuthorization) =>
        challenges.add(challenge.token, keyAuthorization, lease),
      challengeRemoveFn: (_authorization, challenge) => challenges.remove(challenge.token, lease),
    });
    return { cert, key: key.toString() };
  }

  /** Reads or creates the account's key; the account itself is created with the first order. */
  async #connect(lease: Lease): Promise<Client> {
    const { directoryUrl, serverCa, store } = this.#options;
    const { default: acme } = await import("acme-client");
    acme.axios.defaults.timeout = REQUEST_TIMEOUT_MS;
    acme.axios.defaults.maxContentLength = MAX_ANSWER_BYTES;
    // Deno 2.7's node:http never reports a response that breaks off.
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
    return new acme.Client({ directoryUrl, accountKey, ...POLLING });
  }
}
