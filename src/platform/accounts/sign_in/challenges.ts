/**
 * Sign-ins that are waiting for their second factor, by the hash of their token. They are stored,
 * because the code and the password can arrive at different nodes.
 *
 * @module
 */
import * as z from "zod";
import type { Clock, Random } from "../../../lib/clock.ts";
import { readRecord } from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";
import { hashToken, mintToken } from "../credentials/token.ts";
import type { RecordStore } from "../../../store/mod.ts";

const LIFETIME_MS = 5 * 60 * 1000;

const challengeRecord = z.object({
  userId: z.string(),
  /** The hash of the correct password. Once the password changes, the challenge is invalid. */
  passwordHash: z.string(),
  expiresAt: z.number(),
});
export type Challenge = z.infer<typeof challengeRecord>;

const keyOf = (token: string) => accountKeys.challenge(hashToken("challenge", token));

export class Challenges {
  readonly #kv: RecordStore;
  readonly #options: { readonly now: Clock; readonly random: Random };

  constructor(kv: RecordStore, options: { readonly now: Clock; readonly random: Random }) {
    this.#kv = kv;
    this.#options = options;
  }

  async issue(userId: string, passwordHash: string): Promise<string> {
    const { now, random } = this.#options;
    const token = mintToken("challenge", random);
    const challenge: Challenge = { userId, passwordHash, expiresAt: now() + LIFETIME_MS };
    await this.#kv.set(keyOf(token), challenge, { expireIn: 2 * LIFETIME_MS });
    return token;
  }

  async find(token: string): Promise<Challenge | undefined> {
    const found = await readRecord(this.#kv, keyOf(token), challengeRecord);
    return found !== undefined && this.#options.now() < found.value.expiresAt
      ? found.value
      : undefined;
  }

  async end(token: string): Promise<void> {
    await this.#kv.delete(keyOf(token));
  }
}
