/**
 * Webhooks and the log of their deliveries in Deno KV.
 *
 * @module
 */
import { EVENT_CATEGORIES, eventName } from "../../../../contract/events.ts";
import * as z from "zod";
import { MAX_WEBHOOK_LOG } from "../../../../contract/webhooks.ts";
import { sealedSecret, type SecretBox } from "../../../core/secrets/mod.ts";
import {
  commitWithRetries,
  type Page,
  readAll,
  readPage,
  readRecord,
} from "../../../core/store/mod.ts";
import { notificationContent } from "../../delivery/types.ts";
import type { RecordKey, RecordStore } from "../../../../store/mod.ts";

export const webhookRecord = z.object({
  id: z.string(),
  workspaceId: z.string(),
  url: z.string(),
  description: z.string(),
  events: z.array(eventName),
  categories: z.array(z.enum(EVENT_CATEGORIES)),
  enabled: z.boolean(),
  disabledReason: z.string().nullable(),
  secret: sealedSecret,
  /** The previous secret, with which messages are signed too until then. */
  previous: z.object({ secret: sealedSecret, until: z.number() }).nullable(),
  createdAt: z.number(),
});
export type WebhookRecord = z.infer<typeof webhookRecord>;

export const webhookLogRecord = z.object({
  id: z.string(),
  deliveryId: z.string(),
  content: notificationContent,
  status: z.enum(["pending", "delivered", "failed"]),
  attempts: z.array(z.object({
    at: z.number(),
    status: z.number().nullable(),
    durationMs: z.number(),
    detail: z.string(),
  })),
  createdAt: z.number(),
});
export type WebhookLogRecord = z.infer<typeof webhookLogRecord>;

type Key = RecordKey;
type PageWish = { readonly limit: number; readonly cursor?: string | undefined };

const keys = {
  all: (): Key => ["webhooks"],
  ofWorkspace: (workspaceId: string): Key => ["webhooks", workspaceId],
  one: (workspaceId: string, id: string): Key => ["webhooks", workspaceId, id],
  log: (id: string): Key => ["webhook_log", id],
  entry: (id: string, entryId: string): Key => ["webhook_log", id, entryId],
  entryOf: (id: string, deliveryId: string): Key => ["webhook_log_of", id, deliveryId],
} as const;

/** Longest time that log entries are kept. */
const LOG_MS = 30 * 24 * 60 * 60 * 1000;

/** The place that a webhook's secrets are sealed for. */
export const webhookPlace = (webhook: Pick<WebhookRecord, "workspaceId" | "id">): string =>
  `webhook/${webhook.workspaceId}/${webhook.id}`;

export class WebhookStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async add(webhook: WebhookRecord): Promise<void> {
    await this.#kv.set(keys.one(webhook.workspaceId, webhook.id), webhook);
  }

  async find(workspaceId: string, id: string): Promise<WebhookRecord | undefined> {
    return (await readRecord(this.#kv, keys.one(workspaceId, id), webhookRecord))?.value;
  }

  page(workspaceId: string, wish: PageWish): Promise<Page<WebhookRecord>> {
    return readPage(this.#kv, keys.ofWorkspace(workspaceId), { schema: webhookRecord, ...wish });
  }

  async ofWorkspace(workspaceId: string): Promise<WebhookRecord[]> {
    const entries = readAll(this.#kv, keys.ofWorkspace(workspaceId), webhookRecord);
    return (await Array.fromAsync(entries)).map(({ value }) => value);
  }

  /** Changes a webhook; `undefined` where there is none. */
  async change(
    workspaceId: string,
    id: string,
    change: (webhook: WebhookRecord) => WebhookRecord,
  ): Promise<WebhookRecord | undefined> {
    const key = keys.one(workspaceId, id);
    const { result } = await commitWithRetries(this.#kv, [key], async () => {
      const operation = this.#kv.atomic();
      const current = await readRecord(this.#kv, key, webhookRecord);
      if (current === undefined) return { operation, result: undefined };
      const result = change(current.value);
      operation.check({ key, versionstamp: current.versionstamp }).set(key, result);
      return { operation, result };
    });
    return result;
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    await this.#kv.delete(keys.one(workspaceId, id));
    for (const prefix of [keys.log(id), ["webhook_log_of", id]]) {
      for await (const { key } of this.#kv.list({ prefix })) await this.#kv.delete(key);
    }
  }

  /** Stores an attempt in the log, and removes the oldest entry where it is full. */
  async note(webhookId: string, entry: WebhookLogRecord): Promise<void> {
    const { id, deliveryId } = entry;
    await this.#kv.atomic()
      .set(keys.entry(webhookId, id), entry, { expireIn: LOG_MS })
      .set(keys.entryOf(webhookId, deliveryId), id, { expireIn: LOG_MS })
      .commit();
    if (entry.attempts.length <= 1) await this.#prune(webhookId);
  }

  async #prune(webhookId: string): Promise<void> {
    let count = 0;
    const list = this.#kv.list({ prefix: keys.log(webhookId) }, { reverse: true, batchSize: 500 });
    for await (const { key, value } of list) {
      if (++count <= MAX_WEBHOOK_LOG) continue;
      const { deliveryId } = webhookLogRecord.parse(value);
      await this.#kv.atomic().delete(key).delete(keys.entryOf(webhookId, deliveryId)).commit();
    }
  }

  /** The log's entry of a delivery. */
  async entryOf(webhookId: string, deliveryId: string): Promise<WebhookLogRecord | undefined> {
    const id = await readRecord(this.#kv, keys.entryOf(webhookId, deliveryId), z.string());
    return id === undefined ? undefined : await this.entry(webhookId, id.value);
  }

  async entry(webhookId: string, id: string): Promise<WebhookLogRecord | undefined> {
    return (await readRecord(this.#kv, keys.entry(webhookId, id), webhookLogRecord))?.value;
  }

  log(webhookId: string, wish: PageWish): Promise<Page<WebhookLogRecord>> {
    return readPage(this.#kv, keys.log(webhookId), { schema: webhookLogRecord, ...wish });
  }

  /** Seals secrets again that an older key sealed; returns how many webhooks changed. */
  async reseal(box: SecretBox): Promise<number> {
    let count = 0;
    for await (const { key, value } of readAll(this.#kv, keys.all(), webhookRecord)) {
      const { secret, previous } = value;
      if (box.isCurrent(secret) && (previous === null || box.isCurrent(previous.secret))) continue;
      const place = webhookPlace(value);
      const again = async (sealed: typeof secret) => box.seal(await box.open(sealed, place), place);
      await this.#kv.set(key, {
        ...value,
        secret: await again(secret),
        previous: previous === null ? null : { ...previous, secret: await again(previous.secret) },
      });
      count++;
    }
    return count;
  }
}
