/** Owners' actions on a workspace's webhooks. @module */
import { type EventName, EVENTS } from "../../../../contract/events.ts";
import type { BodyOf, QueryOf, ResponseOf } from "../../../../contract/endpoint.ts";
import type { endpoints } from "../../../../contract/endpoints.ts";
import { MAX_WEBHOOKS, type Webhook, type WebhookDelivery } from "../../../../contract/webhooks.ts";
import type { Usage } from "../../../../contract/usage.ts";
import { uuidV7 } from "../../../../lib/ids.ts";
import { RateWindow } from "../../../core/access/mod.ts";
import { Failure, requireRate } from "../../../core/http/mod.ts";
import type { RunningDeliveryQueue } from "../../delivery/delivery_queue.ts";
import type { NotificationContent } from "../../delivery/types.ts";
import { mintWebhookSecret } from "../../../../lib/sign_webhook.ts";
import { webhookBody, webhookMessageId } from "./webhook_body.ts";
import { postWebhook, type WebhookParts, webhookReceiver } from "./webhook_channel.ts";
import { checkWebhookUrl } from "./webhook_url.ts";
import { type WebhookLogRecord, webhookPlace, type WebhookRecord } from "./webhook_store.ts";

/** How long messages are also signed with the previous secret, in milliseconds. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;
const TESTS_PER_MINUTE = 10;
/** Maximum number of characters of a sent body to show in the log. */
const MAX_REQUEST_EXCERPT = 2000;

const notFound = (id: string): Failure => new Failure("not_found", `Webhook ${id} does not exist`);

function toWire({ secret: _, previous: __, workspaceId: ___, ...webhook }: WebhookRecord): Webhook {
  return { ...webhook, createdAt: new Date(webhook.createdAt).toISOString() };
}

function toLogWire(
  { id, content, status, attempts, createdAt }: WebhookLogRecord,
): WebhookDelivery {
  return {
    id,
    messageId: webhookMessageId(content),
    event: content.event,
    request: webhookBody(content).slice(0, MAX_REQUEST_EXCERPT),
    status,
    attempts: attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() })),
    createdAt: new Date(createdAt).toISOString(),
  };
}

type WebhookServiceParts = WebhookParts & {
  readonly queue: Pick<RunningDeliveryQueue, "acceptTo">;
  readonly publicOrigin: string;
  /** Whether webhooks may use private, local and reserved addresses. */
  readonly allowPrivate: boolean;
};

export class WebhookService {
  readonly #tests: RateWindow;

  readonly #parts: WebhookServiceParts;

  constructor(parts: WebhookServiceParts) {
    this.#parts = parts;
    this.#tests = new RateWindow({ limit: TESTS_PER_MINUTE, windowMs: 60_000 }, parts.now);
  }

  async usage(workspaceId: string): Promise<Usage> {
    const { length } = await this.#parts.store.collect(workspaceId);
    return { subject: "webhooks", of: null, used: length, limit: MAX_WEBHOOKS };
  }

  /**
   * @throws {Failure} `invalid_request` for a URL that is not public, `conflict` if there are too
   * many webhooks.
   */
  async create(
    workspaceId: string,
    wanted: BodyOf<typeof endpoints.createWebhook>,
  ): Promise<ResponseOf<typeof endpoints.createWebhook>> {
    const { store, box, now, random } = this.#parts;
    checkWebhookUrl(wanted.url, this.#parts);
    const known = await store.collect(workspaceId);
    if (known.length >= MAX_WEBHOOKS) {
      throw new Failure(
        "conflict",
        `A workspace can have at most ${MAX_WEBHOOKS} webhooks: delete one first`,
      );
    }
    const place = { workspaceId, id: uuidV7(now, random) };
    const secret = mintWebhookSecret(random);
    const record: WebhookRecord = {
      ...wanted,
      ...place,
      enabled: true,
      disabledReason: null,
      secret: await box.seal(secret, webhookPlace(place)),
      previous: null,
      createdAt: now(),
    };
    await store.add(record);
    return { ...toWire(record), secret };
  }

  async list(workspaceId: string, query: QueryOf<typeof endpoints.listWebhooks>) {
    const page = await this.#parts.store.list(workspaceId, query);
    return { ...page, items: page.items.map(toWire) };
  }

  async show(workspaceId: string, id: string): Promise<Webhook> {
    return toWire(await this.#find(workspaceId, id));
  }

  /** @throws {Failure} `invalid_request` for a URL that is not public. */
  async update(
    workspaceId: string,
    id: string,
    change: BodyOf<typeof endpoints.updateWebhook>,
  ): Promise<Webhook> {
    if (change.url !== undefined) checkWebhookUrl(change.url, this.#parts);
    const changed = await this.#parts.store.update([workspaceId, id], (webhook) => ({
      ...webhook,
      ...change,
      ...(change.enabled === undefined ? {} : { disabledReason: null }),
    }));
    if (changed === undefined) throw notFound(id);
    return toWire(changed);
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    await this.#find(workspaceId, id);
    await this.#parts.store.remove([workspaceId, id]);
  }

  async rotate(
    workspaceId: string,
    id: string,
  ): Promise<ResponseOf<typeof endpoints.rotateWebhookSecret>> {
    const { store, box, now, random } = this.#parts;
    const secret = mintWebhookSecret(random);
    const sealed = await box.seal(secret, webhookPlace({ workspaceId, id }));
    const changed = await store.update([workspaceId, id], (webhook) => ({
      ...webhook,
      secret: sealed,
      previous: { secret: webhook.secret, until: now() + OVERLAP_MS },
    }));
    if (changed === undefined) throw notFound(id);
    return { ...toWire(changed), secret };
  }

  async deliveries(
    workspaceId: string,
    id: string,
    query: QueryOf<typeof endpoints.listWebhookDeliveries>,
  ) {
    await this.#find(workspaceId, id);
    const page = await this.#parts.store.log(id, query);
    return { ...page, items: page.items.map(toLogWire) };
  }

  /** Queues a logged delivery again. */
  async redeliver(workspaceId: string, id: string, entryId: string): Promise<void> {
    const { store, queue, now, random } = this.#parts;
    const webhook = await this.#find(workspaceId, id);
    const entry = await store.entry(id, entryId);
    if (entry === undefined) throw new Failure("not_found", `Delivery ${entryId} does not exist`);
    if (!webhook.enabled) {
      throw new Failure(
        "conflict",
        "Cannot redeliver: the webhook is turned off. Turn it on first",
      );
    }
    const key = `redelivery ${entryId} ${uuidV7(now, random)}`;
    const request = { key, channel: "webhook" as const, userId: null, content: entry.content };
    await queue.acceptTo(request, webhookReceiver(webhook));
  }

  async test(
    workspaceId: string,
    id: string,
    event: EventName,
  ): Promise<ResponseOf<typeof endpoints.testWebhook>> {
    requireRate(this.#tests, workspaceId, "test messages");
    const webhook = await this.#find(workspaceId, id);
    const content = this.#example(workspaceId, event);
    const { outcome, status, durationMs, response } = await postWebhook(
      webhook,
      content,
      this.#parts,
    );
    return {
      delivered: outcome.type === "sent",
      status,
      durationMs,
      response,
      detail: outcome.type === "sent" ? outcome.detail : outcome.reason,
    };
  }

  #example(workspaceId: string, event: EventName): NotificationContent {
    const { now, random, publicOrigin } = this.#parts;
    return {
      id: uuidV7(now, random),
      event,
      category: EVENTS[event].category,
      priority: EVENTS[event].priority,
      title: `Test of ${event}`,
      body: "A workspace owner requested this test",
      actionUrl: `${publicOrigin}/`,
      createdAt: now(),
      workspaceId,
      data: { test: true },
    };
  }

  async #find(workspaceId: string, id: string): Promise<WebhookRecord> {
    const webhook = await this.#parts.store.find(workspaceId, id);
    if (webhook === undefined) throw notFound(id);
    return webhook;
  }
}
