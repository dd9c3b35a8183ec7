/** Undelivered messages. The recipient or an owner can list, resend and delete them. @module */
import * as z from "zod";
import type { DeadLetter } from "../../../contract/deliveries.ts";
import type { Clock } from "../../../lib/clock.ts";
import { Failure } from "../../core/http/mod.ts";
import { type Page, type PageRange, readPage, readRecord } from "../../core/store/mod.ts";
import type { RunningDeliveryQueue } from "./delivery_queue.ts";
import { deliveryKeys, type Job, type LetterView } from "./job.ts";
import type { RecordStore } from "../../../store/mod.ts";

const letterRecord = z.object({ jobId: z.string() });

const MAX_RESENT = 1000;
const PAGE = 100;

const isInView = ({ workspaceId }: Job, view: LetterView): boolean =>
  view.workspaceId === null || view.workspaceId === workspaceId;

const notFound = (id: string): Failure =>
  new Failure("not_found", `Dead letter ${id} does not exist`);

export class DeadLetters {
  readonly #kv: RecordStore;
  readonly #queue: Pick<RunningDeliveryQueue, "store" | "wake">;
  readonly #now: Clock;

  constructor(kv: RecordStore, queue: Pick<RunningDeliveryQueue, "store" | "wake">, now: Clock) {
    this.#kv = kv;
    this.#queue = queue;
    this.#now = now;
  }

  async list(
    view: LetterView,
    range: PageRange,
  ): Promise<Page<DeadLetter>> {
    const items: DeadLetter[] = [];
    let { cursor } = range;
    for (;;) {
      const limit = range.limit - items.length;
      const page = await this.#jobs(view, { limit, cursor });
      for (const job of page.items) items.push(...await this.#toWire(job));
      const { nextCursor } = page;
      if (nextCursor === null || items.length === range.limit) return { items, nextCursor };
      cursor = nextCursor;
    }
  }

  /** Sends one letter again. @throws {Failure} `not_found` */
  async resend(view: LetterView, letterId: string): Promise<void> {
    const job = await this.#find(view, letterId);
    if (!await this.#queue.store.revive(job, this.#now())) throw notFound(letterId);
    this.#queue.wake(job.channel);
  }

  /** Sends all letters again, up to 1,000 per call. */
  async resendAll(
    view: LetterView,
  ): Promise<{ readonly resent: number; readonly hasMore: boolean }> {
    let resent = 0;
    let cursor: string | undefined;
    while (resent < MAX_RESENT) {
      const page = await this.#jobs(view, { limit: PAGE, cursor });
      for (const job of page.items) {
        if (!await this.#queue.store.revive(job, this.#now())) continue;
        this.#queue.wake(job.channel);
        resent++;
      }
      if (page.nextCursor === null) return { resent, hasMore: false };
      cursor = page.nextCursor;
    }
    return { resent, hasMore: true };
  }

  /** Deletes one letter. @throws {Failure} `not_found` */
  async discard(view: LetterView, letterId: string): Promise<void> {
    const job = await this.#find(view, letterId);
    if (!await this.#queue.store.discard(job)) throw notFound(letterId);
  }

  async #find(view: LetterView, letterId: string): Promise<Job> {
    const letter = await readRecord(this.#kv, deliveryKeys.letter(view, letterId), letterRecord);
    const job = letter === undefined ? undefined : await this.#queue.store.find(letter.value.jobId);
    if (job === undefined || !isInView(job, view)) throw notFound(letterId);
    return job;
  }

  async #jobs(
    view: LetterView,
    range: PageRange,
  ): Promise<Page<Job>> {
    const page = await readPage(this.#kv, deliveryKeys.letters(view), {
      schema: letterRecord,
      ...range,
    });
    const jobs = await Promise.all(page.items.map(({ jobId }) => this.#queue.store.find(jobId)));
    const items = jobs.filter((job) => job !== undefined).filter((job) => isInView(job, view));
    return { items, nextCursor: page.nextCursor };
  }

  async #toWire(job: Job): Promise<DeadLetter[]> {
    const { contents: [first], total } = await this.#queue.store.contentsOf(job);
    if (first === undefined || job.dead === null) return [];
    return [{
      id: job.dead.letterId,
      channel: job.channel,
      userId: job.userId,
      workspaceId: job.workspaceId,
      event: first.event,
      title: first.title,
      notifications: total,
      reason: job.lastReason ?? "",
      attempts: job.attempts,
      acceptedAt: new Date(job.acceptedAt).toISOString(),
      givenUpAt: new Date(job.dead.at).toISOString(),
    }];
  }
}
