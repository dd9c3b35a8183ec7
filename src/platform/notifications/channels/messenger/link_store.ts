/**
 * Chats that are linked to accounts, and the codes that link them, in Deno KV. Each chat belongs to
 * one account.
 *
 * @module
 */
import * as z from "zod";
import { MAX_MESSENGER_LINKS, MESSENGER_CODE_SECONDS } from "../../../../contract/messenger.ts";
import { sha256Hex } from "../../../../lib/hash.ts";
import { commitWithRetries, readRecord, RecordType, Table } from "../../../core/store/mod.ts";
import type { Lease, RecordKey, RecordStore } from "../../../../store/mod.ts";

const linkRecord = z.object({
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

type Key = RecordKey;

export const messengerKeys = {
  byChat: (chatId: number): Key => ["messenger_chats", chatId],
  code: (hash: string): Key => ["messenger_codes", hash],
  /** Sign-ins that are waiting for the chat, by the hash of a value in the person's browser. */
  signIn: (hash: string): Key => ["messenger_sign_ins", hash],
  /** The hash of a sign-in, by the sign-in's ID and by the hash of its code. */
  signInByName: (name: string): Key => ["messenger_sign_in_by_name", name],
} as const;

const hashOf = (code: string): string => sha256Hex(`svc messenger code\n${code}`);

export const links = new RecordType({
  root: ["messenger_links"],
  schema: linkRecord,
  parts: ({ userId, id }) => [userId, id],
  indices: {
    chat: {
      entries: ({ chatId }) => [messengerKeys.byChat(chatId)],
      holds: ["userId", "id"],
      unique: true,
    },
  },
});

export class LinkStore extends Table<LinkRecord, readonly [string, string], "chat"> {
  constructor(kv: RecordStore) {
    super(kv, links);
  }

  /** Stores the hash of a code that links a chat to an account. */
  async addCode(code: string, userId: string, now: number): Promise<number> {
    const lifeMs = MESSENGER_CODE_SECONDS * 1000;
    const record = { userId, expiresAt: now + lifeMs };
    await this.kv.set(messengerKeys.code(hashOf(code)), record, { expireIn: 2 * lifeMs });
    return record.expiresAt;
  }

  /** Uses up a code. Returns the account to which the code links a chat, or `undefined`. */
  async takeCode(code: string, now: number, lease?: Lease): Promise<string | undefined> {
    const key = messengerKeys.code(hashOf(code));
    const record = await readRecord(this.kv, key, codeRecord);
    if (record === undefined) return undefined;
    const { versionstamp } = record;
    const taken = await this.kv.atomic().check({ key, versionstamp }).delete(key).commit(lease);
    return taken.ok && now < record.value.expiresAt ? record.value.userId : undefined;
  }

  async findByChat(chatId: number): Promise<LinkRecord | undefined> {
    return await this.findBy("chat", messengerKeys.byChat(chatId));
  }

  /**
   * Links a chat, unless it belongs to another account. Therefore, no one can be tricked out of
   * their chat.
   */
  async link(wanted: LinkRecord, lease?: Lease): Promise<"linked" | "taken" | "too_many"> {
    const { userId, chatId } = wanted;
    const contended = [messengerKeys.byChat(chatId), [...links.root, userId]];
    return await commitWithRetries<"linked" | "taken" | "too_many">(
      this.kv,
      contended,
      async (operation) => {
        const known = await this.readBy("chat", messengerKeys.byChat(chatId));
        if (known !== undefined && known.value.userId !== userId) return "taken";
        const others = (await this.collect(userId)).filter((other) => other.chatId !== chatId);
        if (others.length >= MAX_MESSENGER_LINKS) return "too_many";
        if (known === undefined) links.insert(operation, wanted);
        else links.replace(operation, known, { ...wanted, id: known.value.id });
        return "linked";
      },
      { lease },
    );
  }

  async setStatus(
    { userId, id }: LinkRecord,
    status: LinkRecord["status"],
    lease?: Lease,
  ): Promise<void> {
    const change = (link: LinkRecord) => link.status === status ? link : { ...link, status };
    await this.update([userId, id], change, { lease });
  }
}
