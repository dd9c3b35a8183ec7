/**
 * Resets a forgotten password with a link that is sent to the account's address. The next sign-in
 * still asks for the second factor.
 *
 * @module
 */
import { addressGroup, type Client, Failure, requireRate } from "../../core/http/mod.ts";
import { resetPasswordMail } from "./account_mails.ts";
import { canonicalEmail } from "../account_store.ts";
import type { MailLinks } from "./mail_links.ts";
import type { AccountParts } from "../parts.ts";
import { RateWindow } from "../../core/access/mod.ts";

const HOUR_MS = 60 * 60 * 1000;
/** Maximum number of resets that one client can request per hour. */
const RESETS_PER_HOUR = 20;

export class PasswordResetService {
  readonly #requests: RateWindow;

  readonly #parts: AccountParts;
  readonly #mailLinks: MailLinks | undefined;

  constructor(
    parts: AccountParts,
    /** Creates links in emails; missing if the platform cannot send email. */
    mailLinks: MailLinks | undefined,
  ) {
    this.#parts = parts;
    this.#mailLinks = mailLinks;
    this.#requests = new RateWindow({ limit: RESETS_PER_HOUR, windowMs: HOUR_MS }, parts.now);
  }

  get isPossible(): boolean {
    return this.#mailLinks !== undefined;
  }

  /**
   * Sends a link for resetting the password. The response is the same even if there is no account.
   *
   * @throws {Failure} `conflict` if the platform cannot send email; `rate_limited`
   */
  async request(address: string, client: Client): Promise<void> {
    const { accounts, signIns, now } = this.#parts;
    if (this.#mailLinks === undefined) {
      throw new Failure(
        "conflict",
        "This platform cannot reset passwords, because it has no mail server. The operator can set one with --smtp-url",
      );
    }
    requireRate(this.#requests, addressGroup(client.address), "requests");
    const email = canonicalEmail(address);
    const user = await accounts.findUserByEmail(email);
    const record = await signIns.find(user?.id ?? "");
    await this.#mailLinks.send(email, {
      link: {
        type: "reset",
        userId: user?.id ?? "",
        passwordHash: record.password?.hash ?? "",
        expiresAt: now() + HOUR_MS,
      },
      client,
      userId: user?.id,
      path: "/reset-password/{token}",
      mail: user === undefined ? undefined : resetPasswordMail,
    });
  }

  async isOpen(token: string, client: Client): Promise<boolean> {
    const link = await this.#mailLinks?.find("reset", token, client);
    return link !== undefined && link.userId !== "";
  }

  /**
   * Sets the new password, and signs out all sessions.
   *
   * @throws {Failure} `not_found` for invalid links.
   */
  async complete(
    given: { readonly token: string; readonly password: string },
    client: Client,
  ): Promise<void> {
    const { signIns, passwords, credentials, memory, raise } = this.#parts;
    // Hashing is expensive, so the password is hashed only if the link is valid.
    if (!await this.isOpen(given.token, client)) throw linkUsed();
    const password = await passwords.hash(given.password);
    const link = await this.#mailLinks?.use("reset", given.token, client);
    if (link === undefined) throw linkUsed();
    const { userId } = link;
    await signIns.change(userId, (record) => {
      if ((record.password?.hash ?? "") !== link.passwordHash) throw linkUsed();
      return { ...record, password };
    });
    for (const session of await credentials.sessions.collect(userId)) {
      await credentials.removeSession(userId, session.id);
      memory.forget(session.hash);
    }
    await raise({
      event: "security.password_changed",
      userId,
      detail: "The password was reset with an emailed link. All sessions were signed out",
      client,
    });
  }
}

const linkUsed = () =>
  new Failure("not_found", "This link has expired or was already used. Request a new one");
