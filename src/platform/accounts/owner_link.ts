/**
 * The one-time link for a new platform. The person who starts `svc serve` opens the link and
 * becomes the owner. No other secret is printed as part of a URL. The link works only once and only
 * within a day. Only its hash is stored.
 *
 * @module
 */
import type { Clock, Random } from "../../lib/clock.ts";
import type { AccountStore } from "./account_store.ts";
import type { SignInStore } from "./sign_in/sign_in_store.ts";
import { hashToken, mintToken } from "./credentials/token.ts";

const LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * Creates the link, which replaces any earlier one. Returns `undefined` once the owner can sign in.
 */
export async function issueOwnerLink(options: {
  readonly accounts: AccountStore;
  readonly signIns: SignInStore;
  readonly now: Clock;
  readonly random: Random;
}): Promise<string | undefined> {
  const { accounts, signIns, now, random } = options;
  const ownerId = await accounts.ownerId();
  if (ownerId === undefined || (await signIns.find(ownerId)).password !== null) return undefined;
  const token = mintToken("owner link", random);
  await signIns.setOwnerLink({
    hash: hashToken("owner link", token),
    expiresAt: now() + LIFETIME_MS,
  });
  return `/welcome/${token}`;
}
