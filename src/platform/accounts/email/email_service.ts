/**
 * Adds an email address and a password to an account that can sign in only with the messenger. If
 * the platform can send email, the address must be confirmed in a session of the same account.
 * Otherwise, people could be tricked into adding their address to someone else's account.
 *
 * @module
 */
import type { Account } from "../../../contract/accounts.ts";
import { type Client, Failure, requireRate } from "../../core/http/mod.ts";
import { addressTakenMail, confirmEmailMail } from "./account_mails.ts";
import { canonicalEmail } from "../account_store.ts";
import { accountToWire } from "../account_wire.ts";
import { type Person, RateWindow } from "../../core/access/mod.ts";
import { requireFresh } from "../sign_in/fresh_session.ts";
import type { MailLinks } from "./mail_links.ts";
import type { ConfirmationWanted, EmailAdded } from "../outcomes.ts";
import type { AccountParts } from "../parts.ts";
import type { PasswordHash } from "../sign_in/password.ts";

const HOUR_MS = 60 * 60 * 1000;
/** Maximum number of addresses that one account can try per hour. */
const TRIES_PER_HOUR = 10;

export class EmailService {
  readonly #tries: RateWindow;

  readonly #parts: AccountParts;
  readonly #mailLinks: MailLinks | undefined;

  constructor(
    parts: AccountParts,
    /** Creates links in emails; missing if the platform cannot send email. */
    mailLinks: MailLinks | undefined,
  ) {
    this.#parts = parts;
    this.#mailLinks = mailLinks;
    this.#tries = new RateWindow({ limit: TRIES_PER_HOUR, windowMs: HOUR_MS }, parts.now);
  }

  /**
   * @throws {Failure} `conflict` if the account has a password, or if the address is taken and the
   * platform cannot send email; `forbidden` for an old session; `rate_limited` for too many
   * attempts.
   */
  async add(
    person: Person,
    wanted: { readonly email: string; readonly password: string },
    client: Client,
  ): Promise<EmailAdded | ConfirmationWanted> {
    const { accounts, signIns, passwords, now } = this.#parts;
    const { id: userId } = person.user;
    if ((await signIns.find(userId)).password !== null) throw unwanted();
    requireFresh(person, now());
    requireRate(this.#tries, userId, "attempts");
    const email = canonicalEmail(wanted.email);
    const password = await passwords.hash(wanted.password);
    if (this.#mailLinks === undefined) {
      return { status: "added", account: await this.#set(userId, { email, password }, client) };
    }
    const known = await accounts.findUserByEmail(email);
    await this.#mailLinks.send(email, {
      link: { type: "email", userId, email, password, expiresAt: now() + HOUR_MS },
      client,
      userId,
      path: known === undefined ? "/account/email/confirm/{token}" : "/sign-in",
      mail: known === undefined ? confirmEmailMail : addressTakenMail,
    });
    return { status: "confirmation_required" };
  }

  /**
   * Follows the link in the email.
   *
   * @throws {Failure} `not_found` if the link has been used, has expired, or belongs to another
   * account.
   */
  async confirm(person: Person, token: string, client: Client): Promise<Account> {
    const link = await this.#mailLinks?.find("email", token, client);
    if (link?.userId !== person.user.id) throw linkUsed();
    const taken = await this.#mailLinks?.use("email", token, client);
    if (taken === undefined) throw linkUsed();
    return await this.#set(person.user.id, taken, client);
  }

  async #set(
    userId: string,
    given: { readonly email: string; readonly password: PasswordHash },
    client: Client,
  ): Promise<Account> {
    const { signIns, memory, raise } = this.#parts;
    const { email, password } = given;
    const user = await signIns.addEmail(userId, { email, password });
    if (user === "unwanted") throw unwanted();
    if (user === "taken") {
      throw new Failure("conflict", "Cannot add the address: it belongs to another account");
    }
    memory.forgetAll();
    await raise({
      event: "security.password_changed",
      userId,
      detail: `Sign-in with ${email} and a password was set up`,
      client,
    });
    return accountToWire(user, await signIns.find(userId));
  }
}

const unwanted = () =>
  new Failure(
    "conflict",
    "Cannot add an address: the account already has one. Change the password instead",
  );

const linkUsed = () =>
  new Failure(
    "not_found",
    "This link has expired, was already used, or belongs to another account",
  );
