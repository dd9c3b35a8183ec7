/** Issuers' public keys from their discovery documents, cached in memory. @module */
import * as z from "zod";
import type { Clock } from "../../../lib/clock.ts";
import { RecentMap } from "../../../lib/memo.ts";
import { SingleFlight } from "../../../lib/single_flight.ts";
import type { OutboundFetch } from "../../../runtime/mod.ts";
import { DocumentError, fetchDocument } from "./fetch_document.ts";

const MINUTE_MS = 60_000;
/** How long keys are used before they are refreshed, in milliseconds. */
const FRESH_MS = 60 * MINUTE_MS;
/** How long keys are used while their issuer is unreachable, in milliseconds. */
const STALE_MS = 24 * 60 * MINUTE_MS;
/** Minimum time between refreshes that unknown keys trigger, in milliseconds. */
const UNKNOWN_KEY_MS = MINUTE_MS;
/** How long a failure is remembered, in milliseconds. */
const FAILED_MS = 10_000;
const MAX_ISSUERS = 100;

const publicKey = z.looseObject({
  kty: z.enum(["RSA", "EC"]),
  kid: z.string().min(1).max(300),
  d: z.undefined().optional(),
});
type PublicKey = z.infer<typeof publicKey>;

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string().max(500) });
const keySet = z.object({ keys: z.array(z.unknown()).max(100) });

interface CachedKeys {
  readonly keys: readonly PublicKey[];
  readonly readAt: number;
}

interface IssuerKeysOptions {
  readonly outbound: OutboundFetch;
  readonly allowHttp: boolean;
  readonly now: Clock;
}

export class IssuerKeys {
  readonly #known = new RecentMap<CachedKeys>(MAX_ISSUERS);
  readonly #failed = new RecentMap<{ readonly error: DocumentError; readonly at: number }>(
    MAX_ISSUERS,
  );
  readonly #reading = new SingleFlight<CachedKeys>();

  readonly #options: IssuerKeysOptions;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /**
   * Finds an issuer's keys with a given ID. The list is empty if there is no such key.
   *
   * @throws {DocumentError} if the keys cannot be read
   */
  async find(issuer: string, kid: string): Promise<readonly PublicKey[]> {
    const named = ({ keys }: CachedKeys) => keys.filter((key) => key.kid === kid);
    const known = this.#known.get(issuer);
    const age = known === undefined ? Infinity : this.#options.now() - known.readAt;
    const found = known === undefined ? [] : named(known);
    if (age < (found.length > 0 ? FRESH_MS : UNKNOWN_KEY_MS)) return found;
    try {
      return named(await this.#reading.run(issuer, () => this.#read(issuer)));
    } catch (error) {
      if (error instanceof DocumentError && found.length > 0 && age < STALE_MS) return found;
      throw error;
    }
  }

  async #read(issuer: string): Promise<CachedKeys> {
    const { now } = this.#options;
    const failure = this.#failed.get(issuer);
    if (failure !== undefined && now() - failure.at < FAILED_MS) throw failure.error;
    try {
      const known = { keys: await this.#fetchKeys(issuer), readAt: now() };
      this.#known.set(issuer, known);
      return known;
    } catch (error) {
      if (error instanceof DocumentError) this.#failed.set(issuer, { error, at: now() });
      throw error;
    }
  }

  async #fetchKeys(issuer: string): Promise<readonly PublicKey[]> {
    const { outbound, allowHttp } = this.#options;
    const place = `${issuer}/.well-known/openid-configuration`;
    if (!allowHttp && !issuer.startsWith("https:")) {
      throw new DocumentError(`Cannot read ${place}: issuers must use https`);
    }
    const described = discovery.safeParse(await fetchDocument(outbound, place));
    if (!described.success) throw new DocumentError(`Cannot use ${place}: it has no jwks_uri`);
    const { issuer: itself, jwks_uri: keysUrl } = described.data;
    if (itself !== issuer) throw new DocumentError(`Cannot use ${place}: it is for "${itself}"`);
    if (URL.parse(keysUrl)?.origin !== new URL(issuer).origin) {
      throw new DocumentError(`Cannot use ${place}: its jwks_uri is on another host`);
    }
    const set = keySet.safeParse(await fetchDocument(outbound, keysUrl));
    if (!set.success) throw new DocumentError(`Cannot use ${keysUrl}: it is not a key set`);
    return set.data.keys.flatMap((key) => {
      const checked = publicKey.safeParse(key);
      return checked.success ? [checked.data] : [];
    });
  }
}
