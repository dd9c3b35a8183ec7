/**
 * Responses to challenges (RFC 8555, 8.3 and 8.4) while orders are pending: over HTTP, and over DNS
 * if svc is the name server. The authority may ask any node immediately, so all nodes are notified
 * first.
 *
 * @module
 */
import * as z from "zod";
import { keys, readAll, readRecord } from "../core/store/mod.ts";
import type { Lease, RecordKey, RecordStore } from "../../store/mod.ts";

const PREFIX = "/.well-known/acme-challenge/";

/**
 * Prefix that marks the value of a TXT record. It contains a space, so no token in a URL can start
 * with it.
 */
const TXT = "TXT ";

/** Maximum time that an order can be pending, in milliseconds. */
const PENDING_MS = 10 * 60 * 1000;

export const challenge = z.object({
  token: z.string().max(256),
  keyAuthorization: z.string().max(512),
});
export type Challenge = z.infer<typeof challenge>;

export class PendingChallenges {
  readonly #pending = new Map<string, string>();

  readonly #shared: RecordStore | undefined;
  readonly #tellOthers: (challenge: Challenge) => Promise<unknown>;

  /**
   * @param shared the store, if other nodes use it too.
   * @param tellOthers sends a challenge to the reachable nodes. Other nodes find the challenge in
   * the store.
   */
  constructor(
    shared?: RecordStore | undefined,
    tellOthers: (challenge: Challenge) => Promise<unknown> = () => Promise.resolve(),
  ) {
    this.#shared = shared;
    this.#tellOthers = tellOthers;
  }

  /** Applies a challenge from the node that orders certificates. */
  take({ token, keyAuthorization }: Challenge): void {
    this.#pending.set(token, keyAuthorization);
  }

  async add(token: string, keyAuthorization: string, lease?: Lease): Promise<void> {
    this.#pending.set(token, keyAuthorization);
    const key = keys.acmeChallenge(token);
    const expiry = { expireIn: PENDING_MS };
    await this.#shared?.atomic().set(key, keyAuthorization, expiry).commit(lease);
    await this.#tellOthers({ token, keyAuthorization });
  }

  async remove(token: string, lease?: Lease): Promise<void> {
    this.#pending.delete(token);
    await this.#shared?.atomic().delete(keys.acmeChallenge(token)).commit(lease);
  }

  /** Adds a value to the TXT records of a name. */
  async addTxt(name: string, value: string): Promise<void> {
    await this.add(TXT + value, name);
  }

  async removeTxt(_name: string, value: string): Promise<void> {
    await this.remove(TXT + value);
  }

  /** Returns the TXT records of a name. */
  txtOf(name: string): string[] {
    return [...this.#pending].filter(([token, of]) => of === name && token.startsWith(TXT))
      .map(([token]) => token.slice(TXT.length));
  }

  /** Applies challenges that another node has added or removed. */
  async follow(changed: readonly RecordKey[]): Promise<void> {
    const shared = this.#shared;
    const [name] = keys.acmeChallenges();
    if (shared === undefined) return;
    for (const key of changed) {
      if (key[0] !== name) continue;
      const found = await readRecord(shared, key, z.string());
      if (found === undefined) this.#pending.delete(String(key[1]));
      else this.#pending.set(String(key[1]), found.value);
    }
  }

  /** Reads the pending challenges of other nodes. */
  async reread(): Promise<void> {
    if (this.#shared === undefined) return;
    for await (const { key, value } of readAll(this.#shared, keys.acmeChallenges(), z.string())) {
      this.#pending.set(String(key[1]), value);
    }
  }

  /** Returns the response to a pending challenge, or `undefined` for all other requests. */
  answer(url: string): Response | undefined {
    if (this.#pending.size === 0) return undefined;
    const path = url.indexOf("/", url.indexOf("//") + 2);
    if (path === -1 || !url.startsWith(PREFIX, path)) return undefined;
    const authorization = this.#pending.get(url.slice(path + PREFIX.length));
    if (authorization === undefined) return undefined;
    return new Response(authorization, {
      headers: { "content-type": "application/octet-stream", "cache-control": "no-store" },
    });
  }
}
