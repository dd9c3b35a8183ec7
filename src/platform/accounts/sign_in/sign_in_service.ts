/**
 * Sign-in and sign-out. Every sign-in creates a new session, so a token planted in a browser never
 * becomes valid.
 *
 * @module
 */
import { uuidV7 } from "../../../lib/ids.ts";
import { agentName, type Client, Failure } from "../../core/http/mod.ts";
import { canonicalEmail, type UserRecord } from "../account_store.ts";
import { accountToWire } from "../account_wire.ts";
import type { SelfCaller } from "../../core/access/mod.ts";
import { Challenges } from "./challenges.ts";
import type { FactorWanted, NewAccount, SignedIn } from "../outcomes.ts";
import type { AccountParts } from "../parts.ts";
import { reportWrongPasswords } from "../security_events.ts";
import { endedCookie, sessionCookie } from "../credentials/session_cookie.ts";
import { hashToken, mintToken } from "../credentials/token.ts";
import type { TwoFactorService } from "../two_factor/two_factor_service.ts";

/** The message is the same for an unknown address and a wrong password. */
const WRONG = "Email address or password is wrong";

export class SignInService {
  readonly #challenges: Challenges;

  readonly #parts: AccountParts;
  readonly #twoFactor: TwoFactorService;

  constructor(parts: AccountParts, twoFactor: TwoFactorService) {
    this.#parts = parts;
    this.#twoFactor = twoFactor;
    this.#challenges = new Challenges(parts.kv, parts);
  }

  /** @throws {Failure} `unauthorized` if the email address or the password is wrong. */
  async signIn(
    given: { readonly email: string; readonly password: string },
    client: Client,
  ): Promise<SignedIn | FactorWanted> {
    const { accounts, signIns, passwords, limits } = this.#parts;
    const email = canonicalEmail(given.email);
    const user = await accounts.findUserByEmail(email);
    const guess = await limits.begin("password", client, { subject: email, userId: user?.id });
    const record = await signIns.find(user?.id ?? "");
    const isRight = await passwords.matches(given.password, record.password);
    if (!isRight || user === undefined) {
      if (guess.fail() && user !== undefined) {
        await reportWrongPasswords(this.#parts.raise, { userId: user.id, client });
      }
      throw new Failure("unauthorized", WRONG);
    }
    guess.succeed();
    return await this.admit(user, client);
  }

  /**
   * Creates a session for someone who has passed the first factor, or asks for the second factor.
   */
  async admit(user: UserRecord, client: Client): Promise<SignedIn | FactorWanted> {
    const record = await this.#parts.signIns.find(user.id);
    if (record.totp === null) return await this.begin(user, client);
    const challenge = await this.#challenges.issue(user.id, record.password?.hash ?? "");
    return { status: "two_factor_required", challenge };
  }

  /** @throws {Failure} `unauthorized` for an expired challenge, `forbidden` for a wrong code. */
  async secondFactor(
    given: { readonly challenge: string; readonly code: string },
    client: Client,
  ): Promise<SignedIn> {
    const { accounts, signIns } = this.#parts;
    const open = await this.#challenges.find(given.challenge);
    const user = open === undefined ? undefined : await accounts.users.find(open.userId);
    const record = await signIns.find(user?.id ?? "");
    if (user === undefined || (record.password?.hash ?? "") !== open?.passwordHash) {
      throw new Failure("unauthorized", "Sign-in took too long. Start again with your password");
    }
    await this.#twoFactor.useCode(user.id, given.code, client);
    await this.#challenges.end(given.challenge);
    return await this.begin(user, client);
  }

  /** @throws {Failure} `not_found` if the link has been used or has expired. */
  async claimOwner(
    wanted: NewAccount & { readonly token: string },
    client: Client,
  ): Promise<SignedIn> {
    const { passwords, signIns, memory } = this.#parts;
    if (!await this.isOwnerLinkOpen(wanted.token, client)) throw linkUsed();
    const password = await passwords.hash(wanted.password);
    const { name } = wanted;
    const email = canonicalEmail(wanted.email);
    const hash = hashToken("owner link", wanted.token);
    const owner = await signIns.claimOwner(hash, { name, email, password });
    if (owner === "used") throw linkUsed();
    if (owner === "taken") throw emailTaken();
    memory.forgetAll();
    return await this.begin(owner, client);
  }

  async isOwnerLinkOpen(token: string, client: Client): Promise<boolean> {
    const { limits, signIns, now } = this.#parts;
    const guess = await limits.begin("link", client);
    const link = await signIns.ownerLink();
    const isOpen = link !== undefined && now() < link.expiresAt &&
      link.hash === hashToken("owner link", token);
    if (isOpen) guess.succeed();
    return isOpen;
  }

  /** Revokes a request's session or token. Returns a cookie that removes the session cookie. */
  async signOut({ userId, credential, hash }: SelfCaller): Promise<string> {
    const { credentials, memory, cookies } = this.#parts;
    const { type, id } = credential;
    if (type === "api_key") {
      throw new Failure("forbidden", "Cannot sign out with an API key. An owner can revoke it");
    }
    if (type === "session") await credentials.removeSession(userId, id);
    else await credentials.removeAccessToken(userId, id);
    memory.forget(hash);
    return endedCookie(cookies);
  }

  /** Creates a session for someone who has proven their identity. */
  async begin(user: UserRecord, client: Client): Promise<SignedIn> {
    const { credentials, signIns, cookies, devices, now, random, raise } = this.#parts;
    const token = mintToken("session", random);
    const name = agentName(client.userAgent);
    await credentials.sessions.add({
      id: uuidV7(now, random),
      userId: user.id,
      hash: hashToken("session", token),
      name,
      address: client.address,
      country: client.country(),
      createdAt: now(),
    });
    const detail = `Signed in with ${name}`;
    await raise({ event: "security.new_login", userId: user.id, detail, client });
    const account = accountToWire(user, await signIns.find(user.id));
    const setCookie = sessionCookie(token, cookies);
    return { status: "signed_in", account, setCookie, deviceCookie: await devices.issue(user.id) };
  }
}

const emailTaken = () =>
  new Failure("conflict", "This email address already has an account. Sign in instead");

const linkUsed = () =>
  new Failure(
    "not_found",
    "This link has expired or was already used. Restart svc serve for a new one",
  );
