/**
 * Creates accounts. If the platform can send email, the address must be confirmed, and the response
 * does not reveal whether the address already has an account. Otherwise, the account is created
 * immediately.
 *
 * @module
 */
import { uuidV7 } from "../../../lib/ids.ts";
import { addressGroup, type Client, Failure, requireRate } from "../../core/http/mod.ts";
import { alreadyMemberMail, confirmSignUpMail } from "../email/account_mails.ts";
import { canonicalEmail, type UserRecord } from "../account_store.ts";
import type { MailLinks } from "../email/mail_links.ts";
import type { ConfirmationWanted, NewAccount, SignedIn } from "../outcomes.ts";
import type { AccountParts } from "../parts.ts";
import type { PasswordHash } from "./password.ts";
import { RateWindow } from "../../core/access/mod.ts";

/** Maximum number of accounts that one IP address can create per hour. */
const SIGN_UPS_PER_HOUR = 20;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

interface SignUpServiceServices {
  /** Creates links in emails; missing if the platform cannot send email. */
  readonly mailLinks: MailLinks | undefined;
  begin(user: UserRecord, client: Client): Promise<SignedIn>;
}

export class SignUpService {
  readonly #signUps: RateWindow;

  readonly #parts: AccountParts;
  readonly #services: SignUpServiceServices;

  constructor(parts: AccountParts, services: SignUpServiceServices) {
    this.#parts = parts;
    this.#services = services;
    this.#signUps = new RateWindow({ limit: SIGN_UPS_PER_HOUR, windowMs: HOUR_MS }, parts.now);
  }

  /**
   * @throws {Failure} `conflict` if the address is taken and the platform cannot send email;
   * `rate_limited` after too many sign-ups
   */
  async signUp(wanted: NewAccount, client: Client): Promise<SignedIn | ConfirmationWanted> {
    const { passwords } = this.#parts;
    requireRate(this.#signUps, addressGroup(client.address), "new accounts");
    const { name, next } = wanted;
    const password = await passwords.hash(wanted.password);
    const email = canonicalEmail(wanted.email);
    const { mailLinks } = this.#services;
    if (mailLinks === undefined) return await this.#make({ name, email, password }, client);
    await this.#askForConfirmation(mailLinks, { name, email, password, next }, client);
    return { status: "confirmation_required" };
  }

  /**
   * Confirms an address. The returned `next` has not been checked, so check it before redirecting.
   * @throws {Failure} `not_found` for invalid links
   */
  async confirm(
    token: string,
    client: Client,
  ): Promise<{ readonly signedIn: SignedIn; readonly next: string }> {
    const link = await this.#services.mailLinks?.use("sign_up", token, client);
    if (link === undefined) throw linkUsed();
    const { name, email, password, next } = link;
    return { signedIn: await this.#make({ name, email, password }, client), next };
  }

  async #make(
    wanted: { readonly name: string; readonly email: string; readonly password: PasswordHash },
    client: Client,
  ): Promise<SignedIn> {
    const { signIns, now, random } = this.#parts;
    const { name, email, password } = wanted;
    const user = {
      id: uuidV7(now, random),
      name,
      email,
      signUpMethod: "email" as const,
      createdAt: now(),
    };
    if (!await signIns.addUser(user, password)) throw emailTaken();
    return await this.#services.begin(user, client);
  }

  /** Does the same work whether or not the address has an account. Only the email differs. */
  async #askForConfirmation(
    mailLinks: MailLinks,
    wanted: {
      readonly name: string;
      readonly email: string;
      readonly password: PasswordHash;
      readonly next: string | undefined;
    },
    client: Client,
  ): Promise<void> {
    const { accounts, now } = this.#parts;
    const { email } = wanted;
    const known = await accounts.findUserByEmail(email);
    await mailLinks.send(email, {
      link: {
        type: "sign_up",
        ...wanted,
        next: wanted.next ?? "/",
        expiresAt: now() + DAY_MS,
      },
      client,
      userId: known?.id,
      path: known === undefined ? "/sign-up/confirm/{token}" : "/forgot-password",
      mail: known === undefined ? confirmSignUpMail : alreadyMemberMail,
    });
  }
}

const emailTaken = () =>
  new Failure("conflict", "This email address already has an account. Sign in instead");

const linkUsed = () =>
  new Failure("not_found", "This link has expired or was already used. Sign up again");
