/**
 * The second factor: enrolls an authenticator, checks its codes, and manages recovery codes in case
 * the authenticator is lost.
 *
 * @module
 */
import { shortId } from "../../../lib/ids.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import { type Client, Failure } from "../../core/http/mod.ts";
import type { SealedSecret } from "../../core/secrets/mod.ts";
import type { Person } from "../../core/access/mod.ts";
import { requireFresh } from "../sign_in/fresh_session.ts";
import { SUSPICIOUS_GUESSES } from "../guessing/guess_limits.ts";
import { reportWrongPasswords } from "../security_events.ts";
import type { AccountParts } from "../parts.ts";
import type { SignInRecord } from "../sign_in/sign_in_store.ts";
import { findTotpStep, newTotpSecret, otpauthUri } from "./totp.ts";

const RECOVERY_CODES = 10;
/**
 * 16 characters of 4.75 bits each. These 76 bits cannot be guessed, even by someone who has the
 * hashes.
 */
const RECOVERY_LENGTH = 16;

/** An enrollment must be confirmed within an hour. */
const ENROL_MS = 60 * 60 * 1000;

/** Returns the place in the store for which an authenticator's secret is sealed. */
export function totpPlace(userId: string): string {
  return `totp/${userId}`;
}

const hashRecovery = (code: string): string => sha256Hex(`svc recovery code\n${code}`);
const canonical = (typed: string): string => typed.toLowerCase().replace(/[^a-z0-9]/g, "");

export class TwoFactorService {
  readonly #parts: AccountParts;

  constructor(parts: AccountParts) {
    this.#parts = parts;
  }

  /**
   * @throws {Failure} `forbidden` for a wrong password, or for an old session if the account has no
   * password.
   */
  async start(person: Person, password: string | undefined, client: Client) {
    const { signIns, box, random, now, raise, publicOrigin } = this.#parts;
    await this.#checkPassword(person, password, client);
    const secret = newTotpSecret(random);
    const sealed = await box.seal(secret, totpPlace(person.user.id));
    await signIns.change(person.user.id, (record) => {
      if (record.totp !== null) {
        throw new Failure("conflict", "Two-factor authentication is already on. Turn it off first");
      }
      return { ...record, enrolling: { secret: sealed, startedAt: now() } };
    });
    await raise({
      event: "security.two_factor_enrollment_started",
      userId: person.user.id,
      detail: "Two-factor authentication setup was started",
      client,
    });
    const account = person.user.email ?? person.user.name;
    const issuer = `svc ${new URL(publicOrigin).host}`;
    return { secret, uri: otpauthUri(secret, { issuer, account }) };
  }

  /** Turns the second factor on. @throws {Failure} `forbidden` if the code is wrong. */
  async confirm(person: Person, code: string, client: Client) {
    const { signIns, now, limits, raise } = this.#parts;
    const { id } = person.user;
    const { enrolling } = await signIns.find(id);
    if (enrolling === null || now() - enrolling.startedAt >= ENROL_MS) {
      throw new Failure(
        "conflict",
        "Two-factor authentication setup has not been started. Start it first",
      );
    }
    const guess = await limits.begin("second factor", client, { subject: id, userId: id });
    const secret = await this.#parts.box.open(enrolling.secret, totpPlace(id));
    const step = findTotpStep(canonical(code), { secret, now: now(), lastStep: 0 });
    if (step === undefined) throw wrongCode();
    guess.succeed();
    const recoveryCodes = this.#newRecoveryCodes();
    await signIns.change(id, (record) => {
      if (record.totp !== null || record.enrolling?.startedAt !== enrolling.startedAt) {
        throw new Failure("conflict", "The setup has changed. Start the setup again");
      }
      return {
        ...record,
        totp: { secret: enrolling.secret, lastStep: step, enabledAt: now() },
        enrolling: null,
        recoveryCodes: recoveryCodes.map((each) => hashRecovery(canonical(each))),
      };
    });
    await raise({
      event: "security.two_factor_enabled",
      userId: id,
      detail: "Two-factor authentication was turned on",
      client,
    });
    return { recoveryCodes };
  }

  /** Turns the second factor off. Requires a code and, like `start`, the password. */
  async disable(
    person: Person,
    given: { readonly password?: string | undefined; readonly code: string },
    client: Client,
  ): Promise<void> {
    await this.#checkPassword(person, given.password, client);
    await this.useCode(person.user.id, given.code, client);
    await this.#parts.signIns.change(person.user.id, (record) => ({
      ...record,
      totp: null,
      enrolling: null,
      recoveryCodes: [],
    }));
  }

  async renew(person: Person, code: string, client: Client) {
    await this.useCode(person.user.id, code, client);
    const recoveryCodes = this.#newRecoveryCodes();
    const hashes = recoveryCodes.map((each) => hashRecovery(canonical(each)));
    await this.#parts.signIns.change(
      person.user.id,
      (record) => ({ ...record, recoveryCodes: hashes }),
    );
    return { recoveryCodes };
  }

  /**
   * @throws {Failure} `forbidden` for a wrong or used code; `conflict` if the account has no second
   * factor.
   */
  async useCode(userId: string, typed: string, client: Client): Promise<void> {
    const { signIns, limits, raise } = this.#parts;
    const { totp } = await signIns.find(userId);
    if (totp === null) throw new Failure("conflict", "Two-factor authentication is off");
    const guess = await limits.begin("second factor", client, { subject: userId, userId });
    const secret = await this.#open(userId, totp.secret);
    const code = canonical(typed);
    if (await signIns.change(userId, (record) => this.#without(record, code, secret))) {
      guess.succeed();
      return;
    }
    if (guess.fail()) {
      const detail = `${SUSPICIOUS_GUESSES} or more wrong two-factor codes in a row`;
      await raise({ event: "security.suspicious_activity", userId, detail, client });
    }
    throw wrongCode();
  }

  #without(record: SignInRecord, code: string, secret: string): SignInRecord | undefined {
    if (record.totp === null) return undefined;
    const { lastStep } = record.totp;
    const step = findTotpStep(code, { secret, now: this.#parts.now(), lastStep });
    if (step !== undefined) return { ...record, totp: { ...record.totp, lastStep: step } };
    const hash = hashRecovery(code);
    const recoveryCodes = record.recoveryCodes.filter((each) => each !== hash);
    return recoveryCodes.length < record.recoveryCodes.length
      ? { ...record, recoveryCodes }
      : undefined;
  }

  #open(userId: string, secret: SealedSecret): Promise<string> {
    return this.#parts.box.open(secret, totpPlace(userId));
  }

  async #checkPassword(
    person: Person,
    given: string | undefined,
    client: Client,
  ): Promise<void> {
    const { signIns, passwords, limits, now } = this.#parts;
    const { password } = await signIns.find(person.user.id);
    if (password === null) return requireFresh(person, now());
    const { id, email } = person.user;
    const guess = await limits.begin("password", client, { subject: email ?? id, userId: id });
    if (!await passwords.matches(given ?? "", password)) {
      if (guess.fail()) await reportWrongPasswords(this.#parts.raise, { userId: id, client });
      throw new Failure("forbidden", "Password is wrong");
    }
    guess.succeed();
  }

  #newRecoveryCodes(): string[] {
    return Array.from({ length: RECOVERY_CODES }, () => {
      const code = shortId(this.#parts.random, RECOVERY_LENGTH);
      return code.replace(/(.{4})(?=.)/g, "$1-");
    });
  }
}

function wrongCode(): Failure {
  return new Failure("forbidden", "Code is wrong or was already used");
}
