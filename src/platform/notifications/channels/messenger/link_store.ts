/**
 * Which chats belong to which accounts, and the codes that link them, in Deno
 * KV. A chat belongs to one account.
 *
 * @module
 */
import * as z from "zod";
import { MAX_MESSENGER_LINKS, MESSENGER_CODE_SECONDS } from "../../../../contract/messenger.ts";
import { sha256Hex } from "../../../../lib/hash.ts";
import { commitWithRetries, readAll, readRecord } from "../../../core/store/mod.ts";
import type { Lease, Operation, RecordKey, RecordStore } from "../../../../store/mod.ts";

export const linkRecord = z.object({
  id: z.string(),
  userId: z.string(),
  chatId: z.number(),
  name: z.string(),
  username: z.string().nullable(),
  status: z.enum(["active", "stopped", "blocked"]),
  createdAt: z.number(),
});
export type LinkRecord = z.infer<typeof linkRecord>;

const codeRecord = z.object({ userId: z.string(), expiresAt: z.number() });
const owner = z.object({ userId: z.string(), id: z.string() });

type Key = RecordKey;

export const messengerKeys = {
  ofUser: (userId: string): Key => ["messenger_links", userId],
  link: (userId: string, id: string): Key => ["messenger_links", userId, id],
  byChat: (chatId: number): Key => ["messenger_chats", chatId],
  code: (hash: string): Key => ["messenger_codes", hash],
  /** Sign-ins that wait for the chat; their browsers know what the hash is of. */
  signIn: (hash: string): Key => ["messenger_sign_ins", hash],
  /** Hash of the sign-in with an id, or with a code by the hash of that. */
  signInByName: (name: string): Key => ["messenger_sign_in_by_name", name],
} as const;

const hashOf = (code: string): string => sha256Hex(`svc messenger code\n${code}`);

/** Adds a link to a commit that makes its account. */
export function setLink(
  operation: Operation,
  link: LinkRecord,
): Operation {
  return operation.set(messengerKeys.link(link.userId, link.id), link)
    .set(messengerKeys.byChat(link.chatId), { userId: link.userId, id: link.id });
}

export class LinkStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** Stores the hash of a code that links a chat to an account. */
  async addCode(code: string, userId: string, now: number): Promise<number> {
    const lifeMs = MESSENGER_CODE_SECONDS * 1000;
    const record = { userId, expiresAt: now + lifeMs };
    await this.#kv.set(messengerKeys.code(hashOf(code)), record, { expireIn: 2 * lifeMs });
    return record.expiresAt;
  }

  /** Uses up a code; the account that it links to, or `undefined`. */
  async takeCode(code: string, now: number, lease?: Lease): Promise<string | undefined> {
    const key = messengerKeys.code(hashOf(code));
    const record = await readRecord(this.#kv, key, codeRecord);
    if (record === undefined) return undefined;
    const { versionstamp } = record;
    const taken = await this.#kv.atomic().check({ key, versionstamp }).delete(key).commit(lease);
    return taken.ok && now < record.value.expiresAt ? record.value.userId : undefined;
  }

  async find(userId: string, id: string): Promise<LinkRecord | undefined> {
    return (await readRecord(this.#kv, messengerKeys.link(userId, id), linkRecord))?.value;
  }

  async findByChat(chatId: number): Promise<LinkRecord | undefined> {
    const found = await readRecord(this.#kv, messengerKeys.byChat(chatId), owner);
    return found === undefined ? undefined : await this.find(found.value.userId, found.value.id);
  }

  async ofUser(userId: string): Promise<LinkRecord[]> {
    const entries = readAll(this.#kv, messengerKeys.ofUser(userId), linkRecord);
    return (await Array.fromAsync(entries)).map(({ value }) => value);
  }

  /**
   * Links a chat. A chat of another account stays with it, so that nobody can be tricked
   * into giving theirs away.
   */
  async link(wanted: LinkRecord, lease?: Lease): Promise<"linked" | "taken" | "too_many"> {
    const byChat = messengerKeys.byChat(wanted.chatId);
    const { result } = await commitWithRetries(this.#kv, [
      byChat,
      messengerKeys.ofUser(wanted.userId),
    ], async () => {
      const known = await readRecord(this.#kv, byChat, owner);
      const operation = this.#kv.atomic()
        .check({ key: byChat, versionstamp: known?.versionstamp ?? null });
      if (known !== undefined && known.value.userId !== wanted.userId) {
        return { operation, result: "taken" as const };
      }
      const others = (await this.ofUser(wanted.userId))
        .filter(({ chatId }) => chatId !== wanted.chatId);
      if (others.length >= MAX_MESSENGER_LINKS) return { operation, result: "too_many" as const };
      setLink(operation, { ...wanted, id: known?.value.id ?? wanted.id });
      return { operation, result: "linked" as const };
    }, { lease });
    return result;
  }

  async setStatus(
    link: LinkRecord,
    status: LinkRecord["status"],
    lease?: Lease,
  ): Promise<void> {
    const key = messengerKeys.link(link.userId, link.id);
    await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, linkRecord);
      const operation = this.#kv.atomic();
      if (current === undefined || current.value.status === status) {
        return { operation, result: undefined };
      }
      operation.check({ key, versionstamp: current.versionstamp })
        .set(key, { ...current.value, status });
      return { operation, result: undefined };
    }, { lease });
  }

  /** Unlinks a chat; false where there is no such link. */
  async unlink(userId: string, id: string): Promise<boolean> {
    const link = await this.find(userId, id);
    if (link === undefined) return false;
    const operation = this.#kv.atomic().delete(messengerKeys.link(userId, id));
    const byChat = await readRecord(this.#kv, messengerKeys.byChat(link.chatId), owner);
    if (byChat?.value.id === id) operation.delete(messengerKeys.byChat(link.chatId));
    await operation.commit();
    return true;
  }
}
