/**
 * The queue in Deno KV: jobs, and an index of jobs by the time of their next attempt. Every change
 * is one atomic commit, so a crash at any moment leaves a message either accepted or not, and
 * either settled or due.
 *
 * @module
 */
import * as z from "zod";
import type { Claims } from "../../core/nodes/mod.ts";
import { commitWithRetries, readRecord } from "../../core/store/mod.ts";
import { type NotificationContent, notificationContent } from "./types.ts";
import { deliveryKeys, type Job, jobRecord, letterOwners, ownerOf } from "./job.ts";
import type { Check, Lease, Operation, RecordStore } from "../../../store/mod.ts";

/** How long keys are remembered, in milliseconds. No message is retried for that long. */
const SEEN_MS = 7 * 24 * 60 * 60 * 1000;
const LETTER_MS = 30 * 24 * 60 * 60 * 1000;
/**
 * How long a digest's parts are kept, in milliseconds. They expire some time after the dead letter
 * that may need them.
 */
const PART_MS = 45 * 24 * 60 * 60 * 1000;
/** Maximum number of changes in one commit. Deno KV allows 1,000. */
const MAX_CHANGES = 400;
/** How many parts of a digest the message shows. The remaining parts are only counted. */
const SHOWN_PARTS = 50;

interface NewJob {
  readonly job: Job;
  readonly dueAt: number;
}

export interface Acceptance {
  /** A fixed-length ID for the request's key. */
  readonly seenId: string;
  readonly jobs: readonly NewJob[];
}

export interface DueEntry {
  readonly id: string;
  readonly at: number;
  readonly host: string;
  /** The result of `ownerOf()`. */
  readonly owner: string;
  /** Version of the entry itself. */
  readonly version: string;
}

/** The claim on a message; `undefined` if no other node sends messages. */
export type Claim = Check | undefined;

const openDigest = z.object({ jobId: z.string() });
/** Older entries have no owner, so all of them count as belonging to a single owner. */
const dueValue = z.object({ host: z.string(), owner: z.string().default("") });

const dueOf = (job: Job): z.infer<typeof dueValue> => ({ host: job.host, owner: ownerOf(job) });

export class DeliveryStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /**
   * Stores up to 40 requests in one commit, except those that were stored before. The commit checks
   * only the guard, which changes when requests are accepted or a digest is closed.
   */
  async accept(acceptances: readonly Acceptance[], lease?: Lease): Promise<void> {
    const guard = deliveryKeys.guard();
    await commitWithRetries(this.#kv, [guard], async (operation) => {
      const { versionstamp } = await this.#kv.get(guard);
      const fresh = await this.#unseen(acceptances);
      const digests = new Map<string, string>();
      for (const { seenId, jobs } of fresh) {
        const seen = deliveryKeys.seen(seenId);
        operation.set(seen, true, { expireIn: SEEN_MS });
        for (const each of jobs) {
          if (each.job.digest === null) this.#add(operation, each);
          else await this.#addPart(operation, each, digests);
        }
      }
      if (fresh.length > 0) operation.check({ key: guard, versionstamp }).set(guard, true);
    }, { lease });
  }

  async #unseen(acceptances: readonly Acceptance[]): Promise<Acceptance[]> {
    const entries = await Promise.all(
      acceptances.map(({ seenId }) => this.#kv.get(deliveryKeys.seen(seenId))),
    );
    return acceptances.filter((_, index) => entries[index]!.versionstamp === null);
  }

  #add(operation: Operation, { job, dueAt }: NewJob): void {
    const due = deliveryKeys.due(job.channel, dueAt, job.id);
    operation.set(deliveryKeys.job(job.id), job).set(due, dueOf(job));
  }

  /**
   * Adds to the open digest, or opens one. The guard makes the commit fail if the digest is closed
   * in the meantime.
   */
  async #addPart(
    operation: Operation,
    { job, dueAt }: NewJob,
    digests: Map<string, string>,
  ): Promise<void> {
    const { content, digest } = job;
    if (content === null || digest === null) throw new TypeError("Not a part of a digest");
    const name = JSON.stringify(digest.key);
    const pointer = deliveryKeys.openDigest(digest.key);
    let jobId = digests.get(name);
    if (jobId === undefined) {
      const open = await readRecord(this.#kv, pointer, openDigest);
      jobId = open?.value.jobId ?? job.id;
      if (open === undefined) {
        operation.set(pointer, { jobId });
        this.#add(operation, { job: { ...job, content: null }, dueAt });
      }
      digests.set(name, jobId);
    }
    operation.set(deliveryKeys.part(jobId, content.id), content, { expireIn: PART_MS });
  }

  /**
   * Lists a channel's jobs in the order in which they are due, starting with the first job or after
   * a given one.
   */
  async *due(channel: string, { batchSize, behind }: {
    readonly batchSize: number;
    readonly behind?: DueEntry | undefined;
  }): AsyncGenerator<DueEntry> {
    const prefix = deliveryKeys.allDue(channel);
    const start = behind && deliveryKeys.due(channel, behind.at, behind.id);
    const selector = start === undefined ? { prefix } : { prefix, start };
    for await (const { key, value, versionstamp } of this.#kv.list(selector, { batchSize })) {
      if (behind !== undefined && key.at(-1) === behind.id) continue;
      const place = { at: Number(key.at(-2)), id: String(key.at(-1)), version: versionstamp };
      yield { ...place, ...dueValue.parse(value) };
    }
  }

  async heldElsewhere(claims: Claims, channel: string): Promise<ReadonlySet<string>> {
    return await claims.heldElsewhere(this.#kv, deliveryKeys.claims(channel));
  }

  /**
   * Claims a message. Returns `undefined` if another node has claimed it, or if the message is no
   * longer due.
   */
  async claim(
    claims: Claims,
    channel: string,
    { id, at, version }: Pick<DueEntry, "id" | "at" | "version">,
  ): Promise<Claim> {
    const due = { key: deliveryKeys.due(channel, at, id), versionstamp: version };
    return await claims.take(this.#kv, deliveryKeys.claim(channel, id), due);
  }

  async find(id: string): Promise<Job | undefined> {
    return (await readRecord(this.#kv, deliveryKeys.job(id), jobRecord))?.value;
  }

  /** Closes a digest, because a digest must not change after its first attempt. */
  async closeDigest(job: Job): Promise<Job> {
    if (job.digest === null || !job.digest.open) return job;
    const closed = { ...job, digest: { ...job.digest, open: false } };
    const pointer = deliveryKeys.openDigest(job.digest.key);
    const guard = deliveryKeys.guard();
    await commitWithRetries(this.#kv, [pointer, guard], async (operation) => {
      const open = await readRecord(this.#kv, pointer, openDigest);
      operation.set(deliveryKeys.job(job.id), closed);
      if (open?.value.jobId === job.id) {
        operation.check({ key: pointer, versionstamp: open.versionstamp }).delete(pointer)
          .set(guard, true);
      }
    });
    return closed;
  }

  /**
   * Returns a job's notification, or a digest's first notifications and the total number of its
   * notifications. Leaves out notifications that are not wanted.
   */
  async contentsOf(
    job: Job,
    isWanted: (content: NotificationContent) => boolean = () => true,
  ): Promise<{ contents: NotificationContent[]; total: number }> {
    const contents: NotificationContent[] = [];
    let total = 0;
    const take = (content: NotificationContent) => {
      if (isWanted(content) && ++total <= SHOWN_PARTS) contents.push(content);
    };
    if (job.content !== null) take(job.content);
    else {
      for await (const { value } of this.#kv.list({ prefix: deliveryKeys.parts(job.id) })) {
        take(notificationContent.parse(value));
      }
    }
    return { contents: contents.sort((a, b) => a.createdAt - b.createdAt), total };
  }

  async postpone(channel: string, entries: readonly (DueEntry & { readonly until: number })[]) {
    for (let from = 0; from < entries.length; from += MAX_CHANGES / 2) {
      const operation = this.#kv.atomic();
      for (const { id, at, host, owner, until } of entries.slice(from, from + MAX_CHANGES / 2)) {
        operation.delete(deliveryKeys.due(channel, at, id))
          .set(deliveryKeys.due(channel, until, id), { host, owner });
      }
      await operation.commit();
    }
  }

  /** Creates an operation that releases a claim. The operation fails if the claim was lost. */
  #ending(claim: Claim): Operation {
    const operation = this.#kv.atomic();
    return claim === undefined ? operation : operation.check(claim).delete(claim.key);
  }

  /** Moves one job to a later time, unless another node has claimed it. */
  async putOff(
    channel: string,
    { id, at, host, owner, version }: DueEntry,
    { until, claim }: { readonly until: number; readonly claim: Claim },
  ): Promise<void> {
    const due = deliveryKeys.due(channel, at, id);
    await this.#ending(claim).check({ key: due, versionstamp: version }).delete(due)
      .set(deliveryKeys.due(channel, until, id), { host, owner }).commit();
  }

  async reschedule(
    job: Job,
    times: { readonly from: number; readonly to: number },
    claim?: Claim,
  ): Promise<void> {
    await this.#ending(claim)
      .delete(deliveryKeys.due(job.channel, times.from, job.id))
      .set(deliveryKeys.due(job.channel, times.to, job.id), dueOf(job))
      .set(deliveryKeys.job(job.id), job)
      .commit();
  }

  async settle(job: Job, dueAt: number, claim?: Claim): Promise<void> {
    const operation = this.#ending(claim)
      .delete(deliveryKeys.due(job.channel, dueAt, job.id))
      .delete(deliveryKeys.job(job.id));
    if (job.content === null) operation.set(deliveryKeys.leftover(job.id), true);
    const { ok } = await operation.commit();
    if (ok && job.content === null) await this.#removeParts(job.id);
  }

  /** Removes an entry without a job. */
  async dropDue(channel: string, { at, id }: DueEntry, claim?: Claim): Promise<void> {
    await this.#ending(claim).delete(deliveryKeys.due(channel, at, id)).commit();
  }

  /** Completes operations that a crash interrupted. */
  async recover(): Promise<void> {
    for await (const { key } of this.#kv.list({ prefix: deliveryKeys.leftovers() })) {
      await this.#removeParts(String(key.at(-1)));
    }
  }

  /** Keeps a job as a dead letter instead of attempting it again. */
  async bury(
    job: Job & { readonly dead: NonNullable<Job["dead"]> },
    dueAt: number,
    claim?: Claim,
  ): Promise<void> {
    const operation = this.#ending(claim)
      .delete(deliveryKeys.due(job.channel, dueAt, job.id))
      .set(deliveryKeys.job(job.id), job, { expireIn: LETTER_MS });
    for (const owner of letterOwners(job)) {
      const key = deliveryKeys.letter(owner, job.dead.letterId);
      operation.set(key, { jobId: job.id }, { expireIn: LETTER_MS });
    }
    await operation.commit();
  }

  /** Queues a dead letter again. Returns `false` if another call has just done so. */
  async revive(job: Job, at: number): Promise<boolean> {
    return await this.#unbury(job, (operation) => {
      const revived: Job = { ...job, dead: null, attempts: 0, acceptedAt: at, resent: true };
      this.#add(operation, { job: revived, dueAt: at });
    });
  }

  async discard(job: Job): Promise<boolean> {
    const done = await this.#unbury(job, (operation) => {
      operation.delete(deliveryKeys.job(job.id));
      if (job.content === null) operation.set(deliveryKeys.leftover(job.id), true);
    });
    if (done && job.content === null) await this.#removeParts(job.id);
    return done;
  }

  async #unbury(
    job: Job,
    more: (operation: Operation) => void,
  ): Promise<boolean> {
    const key = deliveryKeys.job(job.id);
    const current = await readRecord(this.#kv, key, jobRecord);
    const { dead } = job;
    if (dead === null || current?.value.dead?.letterId !== dead.letterId) return false;
    const operation = this.#kv.atomic().check({ key, versionstamp: current.versionstamp });
    for (const owner of letterOwners(job)) {
      operation.delete(deliveryKeys.letter(owner, dead.letterId));
    }
    more(operation);
    return (await operation.commit()).ok;
  }

  async #removeParts(jobId: string): Promise<void> {
    let operation = this.#kv.atomic();
    let changes = 0;
    for await (const { key } of this.#kv.list({ prefix: deliveryKeys.parts(jobId) })) {
      operation.delete(key);
      if (++changes % MAX_CHANGES !== 0) continue;
      await operation.commit();
      operation = this.#kv.atomic();
    }
    await operation.delete(deliveryKeys.leftover(jobId)).commit();
  }
}
