/**
 * Stores the actions of links in emails. Each link works once, and only the hash of its token is
 * stored.
 *
 * @module
 */
import * as z from "zod";
import { readRecord } from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";
import { passwordHash } from "../sign_in/password.ts";
import type { RecordStore } from "../../../store/mod.ts";

const mailLink = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("sign_up"),
    name: z.string(),
    email: z.string(),
    password: passwordHash,
    /** Path to redirect to afterwards. */
    next: z.string(),
    expiresAt: z.number(),
  }),
  z.object({
    type: z.literal("reset"),
    /**
     * "" if no account has the email address. The link is stored even then, so the work is the
     * same.
     */
    userId: z.string(),
    /** The hash of the forgotten password. Once the password changes, the link is invalid. */
    passwordHash: z.string(),
    expiresAt: z.number(),
  }),
  z.object({
    type: z.literal("email"),
    userId: z.string(),
    email: z.string(),
    password: passwordHash,
    expiresAt: z.number(),
  }),
]);
export type MailLink = z.infer<typeof mailLink>;
export type MailLinkType = MailLink["type"];

export class MailLinkStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async add(hash: string, link: MailLink, lifetimeMs: number): Promise<void> {
    await this.#kv.set(accountKeys.mailLink(hash), link, { expireIn: lifetimeMs });
  }

  async find<Type extends MailLinkType>(
    hash: string,
    wanted: { readonly type: Type; readonly now: number },
  ): Promise<Extract<MailLink, { type: Type }> | undefined> {
    const link = (await readRecord(this.#kv, accountKeys.mailLink(hash), mailLink))?.value;
    if (link?.type !== wanted.type || wanted.now >= link.expiresAt) return undefined;
    return link as Extract<MailLink, { type: Type }>;
  }

  async take(hash: string): Promise<boolean> {
    const key = accountKeys.mailLink(hash);
    const { versionstamp } = await this.#kv.get(key);
    if (versionstamp === null) return false;
    return (await this.#kv.atomic().check({ key, versionstamp }).delete(key).commit()).ok;
  }
}
