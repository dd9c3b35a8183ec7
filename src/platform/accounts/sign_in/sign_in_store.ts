/** A user's password, second factor and recovery codes, and the first owner's link. @module */
import * as z from "zod";
import { commitWithRetries, keys, readRecord } from "../../core/store/mod.ts";
import { sealedSecret } from "../../core/secrets/mod.ts";
import { accountKeys } from "../account_keys.ts";
import { type UserRecord, users } from "../account_store.ts";
import { type PasswordHash, passwordHash } from "./password.ts";
import type { RecordStore } from "../../../store/mod.ts";

export const signInRecord = z.object({
  password: passwordHash.nullable(),
  /** The authenticator in use, whose secret is sealed. */
  totp: z.object({ secret: sealedSecret, lastStep: z.number(), enabledAt: z.number() }).nullable(),
  /** An authenticator that is waiting for its first code. */
  enrolling: z.object({ secret: sealedSecret, startedAt: z.number() }).nullable(),
  /** Hashes of the unused recovery codes. */
  recoveryCodes: z.array(z.string()),
});
export type SignInRecord = z.infer<typeof signInRecord>;

const ownerLink = z.object({ hash: z.string(), expiresAt: z.number() });
type OwnerLink = z.infer<typeof ownerLink>;

const NOTHING: SignInRecord = { password: null, totp: null, enrolling: null, recoveryCodes: [] };

export class SignInStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async find(userId: string): Promise<SignInRecord> {
    return (await readRecord(this.#kv, accountKeys.signIn(userId), signInRecord))?.value ?? NOTHING;
  }

  /** Changes a record. `change` may throw, or return `undefined` to leave the record unchanged. */
  async change(
    userId: string,
    change: (record: SignInRecord) => SignInRecord | undefined,
  ): Promise<boolean> {
    const key = accountKeys.signIn(userId);
    return await commitWithRetries(this.#kv, [key], async (operation) => {
      const current = await readRecord(this.#kv, key, signInRecord);
      const next = change(current?.value ?? NOTHING);
      if (next === undefined) return false;
      operation.check({ key, versionstamp: current?.versionstamp ?? null }).set(key, next);
      return true;
    });
  }

  /** Stores a new user with a password. Returns false if the address already has an account. */
  async addUser(user: UserRecord & { email: string }, password: PasswordHash): Promise<boolean> {
    const operation = this.#kv.atomic()
      .set(accountKeys.signIn(user.id), { ...NOTHING, password });
    users.insert(operation, user);
    return (await operation.commit()).ok;
  }

  /**
   * Returns `unwanted` if the user already has an email address or a password, and `taken` if
   * another account has the email address.
   */
  async addEmail(
    userId: string,
    given: { readonly email: string; readonly password: PasswordHash },
  ): Promise<UserRecord | "unwanted" | "taken"> {
    const signInKey = accountKeys.signIn(userId);
    const [userKey, email] = [users.key(userId), accountKeys.userByEmail(given.email)];
    return await commitWithRetries<UserRecord | "unwanted" | "taken">(this.#kv, [
      signInKey,
      userKey,
      email,
    ], async (operation) => {
      const signIn = await readRecord(this.#kv, signInKey, signInRecord);
      const user = await readRecord(this.#kv, userKey, users.schema);
      const record = signIn?.value ?? NOTHING;
      if (user === undefined || user.value.email !== null || record.password !== null) {
        return "unwanted";
      }
      if ((await this.#kv.get(email)).versionstamp !== null) return "taken";
      const result = { ...user.value, email: given.email };
      users.replace(operation, user, result);
      operation
        .check({ key: signInKey, versionstamp: signIn?.versionstamp ?? null })
        .set(signInKey, { ...record, password: given.password });
      return result;
    });
  }

  async ownerLink(): Promise<OwnerLink | undefined> {
    return (await readRecord(this.#kv, keys.meta("owner_link"), ownerLink))?.value;
  }

  async setOwnerLink(link: OwnerLink): Promise<void> {
    await this.#kv.set(keys.meta("owner_link"), link);
  }

  /** Returns `used` for an invalid link, `taken` if another account has the email address. */
  async claimOwner(
    hash: string,
    given: { readonly name: string; readonly email: string; readonly password: PasswordHash },
  ): Promise<UserRecord | "used" | "taken"> {
    const [linkKey, email] = [keys.meta("owner_link"), accountKeys.userByEmail(given.email)];
    return await commitWithRetries<UserRecord | "used" | "taken">(this.#kv, [
      linkKey,
      email,
    ], async (operation) => {
      const link = await readRecord(this.#kv, linkKey, ownerLink);
      const ownerId = await readRecord(this.#kv, keys.meta("owner"), z.string());
      if (link?.value.hash !== hash || ownerId === undefined) return "used";
      if ((await this.#kv.get(email)).versionstamp !== null) return "taken";
      const user = await readRecord(this.#kv, users.key(ownerId.value), users.schema);
      if (user === undefined) return "used";
      const owner = { ...user.value, name: given.name, email: given.email };
      users.replace(operation, user, owner);
      operation
        .check({ key: linkKey, versionstamp: link.versionstamp })
        .delete(linkKey)
        .set(accountKeys.signIn(owner.id), { ...NOTHING, password: given.password });
      return owner;
    });
  }
}
