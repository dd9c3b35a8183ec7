/**
 * Sends test messages immediately, without the queue, so the caller sees the outcome.
 *
 * @module
 */
import { CHANNEL_ROWS, type PersonalChannel } from "../../../contract/channels.ts";
import type { ResponseOf } from "../../../contract/endpoint.ts";
import type { endpoints } from "../../../contract/endpoints.ts";
import type { Clock, Random } from "../../../lib/clock.ts";
import { uuidV7 } from "../../../lib/ids.ts";
import { type PersonalScope, RateWindow } from "../../core/access/mod.ts";
import { Failure, requireRate } from "../../core/http/mod.ts";
import { type Channel, readOnce } from "./channel.ts";
import { deliveryId } from "./job.ts";
import type { NotificationContent } from "./types.ts";

type TestResult = ResponseOf<typeof endpoints.sendTestNotification>;

/** How many test messages a person may send per minute. */
const TESTS_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

interface TestSenderParts {
  readonly channels: readonly Channel[];
  readonly publicOrigin: string;
  readonly now: Clock;
  readonly random: Random;
}

export class TestSender {
  readonly #rate: RateWindow;

  readonly #parts: TestSenderParts;

  constructor(parts: TestSenderParts) {
    this.#parts = parts;
    this.#rate = new RateWindow({ limit: TESTS_PER_MINUTE, windowMs: MINUTE_MS }, parts.now);
  }

  /** @throws {Failure} if the channel is missing or does not reach the person */
  async send({ userId, workspaceId }: PersonalScope, name: PersonalChannel): Promise<TestResult> {
    requireRate(this.#rate, userId, "test messages");
    const channel = this.#parts.channels.find((each) => each.name === name);
    if (channel === undefined) throw new Failure("conflict", CHANNEL_ROWS[name].missing);
    const content = this.#content(workspaceId);
    const request = { key: `test ${content.id}`, channel: name, userId, content };
    const receivers = await channel.receivers(request, readOnce());
    if (receivers.length === 0) throw new Failure("conflict", CHANNEL_ROWS[name].unreached);
    const results: TestResult["results"] = [];
    for (const receiver of receivers) {
      const receiverName = await channel.nameOf?.(receiver.id, userId) ?? receiver.id;
      const started = performance.now();
      const outcome = await channel.send({
        id: deliveryId(request.key, receiver.id),
        receiverId: receiver.id,
        userId,
        contents: [content],
        total: 1,
        attempt: 1,
      });
      results.push({
        receiver: receiverName,
        delivered: outcome.type === "sent",
        detail: outcome.type === "sent" ? outcome.detail : outcome.reason,
        durationMs: Math.round(performance.now() - started),
      });
    }
    return { channel: name, delivered: results.every(({ delivered }) => delivered), results };
  }

  #content(workspaceId: string | null): NotificationContent {
    const { now, random, publicOrigin } = this.#parts;
    return {
      id: uuidV7(now, random),
      event: "system.feature_announcement",
      category: "System",
      priority: "NORMAL",
      title: "Test notification",
      body: "This channel works.",
      actionUrl: `${publicOrigin}/`,
      createdAt: now(),
      workspaceId,
      data: {},
    };
  }
}
