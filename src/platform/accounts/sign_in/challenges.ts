/**
 * Sign-ins that wait for their second factor. They are in memory: after a
 * restart, people begin again.
 *
 * @module
 */
import type { Clock, Random } from "../../../lib/clock.ts";
import { hashToken, mintToken } from "../credentials/token.ts";

const LIFETIME_MS = 5 * 60 * 1000;
/** Each takes a correct password, so the limit is hard to reach; the oldest is dropped first. */
const MAX_OPEN = 10_000;

interface Challenge {
  readonly userId: string;
  /** The password that was correct then: if it has been changed, the challenge is void. */
  readonly passwordHash: string;
  readonly expiresAt: number;
}

export class Challenges {
  private readonly open = new Map<string, Challenge>();

  constructor(private readonly options: { readonly now: Clock; readonly random: Random }) {}

  /** Makes a challenge for a user who gave the correct password. */
  issue(userId: string, passwordHash: string): string {
    const { now, random } = this.options;
    for (const [hash, { expiresAt }] of this.open) {
      if (now() < expiresAt && this.open.size < MAX_OPEN) break;
      this.open.delete(hash);
    }
    const token = mintToken("challenge", random);
    const expiresAt = now() + LIFETIME_MS;
    this.open.set(hashToken("challenge", token), { userId, passwordHash, expiresAt });
    return token;
  }

  find(token: string): Challenge | undefined {
    const challenge = this.open.get(hashToken("challenge", token));
    return challenge !== undefined && this.options.now() < challenge.expiresAt
      ? challenge
      : undefined;
  }

  end(token: string): void {
    this.open.delete(hashToken("challenge", token));
  }
}
