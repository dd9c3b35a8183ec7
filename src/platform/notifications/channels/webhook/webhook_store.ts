/** Webhooks and the log of their deliveries in Deno KV. @module */
import { EVENT_CATEGORIES, eventName } from "../../../../contract/events.ts";
import * as z from "zod";
import { MAX_WEBHOOK_LOG } from "../../../../contract/webhooks.ts";
import { sealedSecret, type SecretBox } from "../../../core/secrets/mod.ts";
import {
  deleteKeys,
  keysBelow,
  type Page,
  type PageRange,
  readPage,
  readRecord,
  RecordType,
  Table,
} from "../../../core/store/mod.ts";
import { notificationContent } from "../../delivery/types.ts";
import type { RecordKey, RecordStore } from "../../../../store/mod.ts";

const webhookRecord = z.object({
  id: z.string(),
  workspaceId: z.string(),
  url: z.string(),
  description: z.string(),
  events: z.array(eventName),
  categories: z.array(z.enum(EVENT_CATEGORIES)),
  enabled: z.boolean(),
  disabledReason: z.string().nullable(),
  secret: sealedSecret,
  /** The previous secret, and the time until which messages are also signed with it. */
  previous: z.object({ secret: sealedSecret, until: z.number() }).nullable(),
  createdAt: z.number(),
});
export type WebhookRecord = z.infer<typeof webhookRecord>;

const webhookLogRecord = z.object({
  id: z.string(),
  deliveryId: z.string(),
  content: notificationContent,
  status: z.enum(["pending", "delivered", "failed"]),
  attempts: z.array(z.object({
    at: z.number(),
    status: z.number().nullable(),
    durationMs: z.number(),
    detail: z.string(),
    /** Missing in entries from older versions. */
    response: z.string().nullable().default(null),
  })),
  createdAt: z.number(),
});
export type WebhookLogRecord = z.infer<typeof webhookLogRecord>;

type Key = RecordKey;

const keys = {
  log: (id: string): Key => ["webhook_log", id],
  entry: (id: string, entryId: string): Key => ["webhook_log", id, entryId],
  entryOf: (id: string, deliveryId: string): Key => ["webhook_log_of", id, deliveryId],
} as const;

/** Maximum time for which to keep log entries, in milliseconds. */
const LOG_MS = 30 * 24 * 60 * 60 * 1000;

export const webhookPlace = (webhook: Pick<WebhookRecord, "workspaceId" | "id">): string =>
  `webhook/${webhook.workspaceId}/${webhook.id}`;

const webhooks = new RecordType({
  root: ["webhooks"],
  schema: webhookRecord,
  parts: ({ workspaceId, id }) => [workspaceId, id],
});

export class WebhookStore extends Table<WebhookRecord, readonly [string, string]> {
  constructor(kv: RecordStore) {
    super(kv, webhooks);
  }

  override async remove(place: readonly [string, string]): Promise<WebhookRecord | undefined> {
    const removed = await super.remove(place);
    for (const prefix of [keys.log(place[1]), ["webhook_log_of", place[1]]]) {
      await deleteKeys(this.kv, keysBelow(this.kv, prefix));
    }
    return removed;
  }

  /** Stores an attempt in the log, and removes the oldest entry if the log is full. */
  async note(webhookId: string, entry: WebhookLogRecord): Promise<void> {
    const { id, deliveryId } = entry;
    await this.kv.atomic()
      .set(keys.entry(webhookId, id), entry, { expireIn: LOG_MS })
      .set(keys.entryOf(webhookId, deliveryId), id, { expireIn: LOG_MS })
      .commit();
    if (entry.attempts.length <= 1) await this.#prune(webhookId);
  }

  async #prune(webhookId: string): Promise<void> {
    let count = 0;
    const list = this.kv.list({ prefix: keys.log(webhookId) }, { reverse: true, batchSize: 500 });
    for await (const { key, value } of list) {
      if (++count <= MAX_WEBHOOK_LOG) continue;
      const { deliveryId } = webhookLogRecord.parse(value);
      await this.kv.atomic().delete(key).delete(keys.entryOf(webhookId, deliveryId)).commit();
    }
  }

  async entryOf(webhookId: string, deliveryId: string): Promise<WebhookLogRecord | undefined> {
    const id = await readRecord(this.kv, keys.entryOf(webhookId, deliveryId), z.string());
    return id === undefined ? undefined : await this.entry(webhookId, id.value);
  }

  async entry(webhookId: string, id: string): Promise<WebhookLogRecord | undefined> {
    return (await readRecord(this.kv, keys.entry(webhookId, id), webhookLogRecord))?.value;
  }

  log(webhookId: string, range: PageRange): Promise<Page<WebhookLogRecord>> {
    return readPage(this.kv, keys.log(webhookId), { schema: webhookLogRecord, ...range });
  }

  /** Reseals secrets that were sealed with an older key. Returns how many webhooks were changed. */
  async reseal(box: SecretBox): Promise<number> {
    return await this.rewrite(async (webhook) => {
      const place = webhookPlace(webhook);
      const { previous } = webhook;
      const secret = await box.renew(webhook.secret, place);
      const former = previous && { ...previous, secret: await box.renew(previous.secret, place) };
      if (secret === webhook.secret && former?.secret === previous?.secret) return webhook;
      return { ...webhook, secret, previous: former };
    });
  }
}
