/** The durable queue of everything that leaves the platform. @module */
import { type DeliveryChannel } from "../../../contract/channels.ts";
import type { Clock, Random } from "../../../lib/clock.ts";
import { Claims, type Nodes } from "../../core/nodes/mod.ts";
import { DamagedRecordError } from "../../core/store/mod.ts";
import { type Channel, type ReadOnce, readOnce, type Receiver } from "./channel.ts";
import { ChannelWorker } from "./channel_worker.ts";
import { type Acceptance, DeliveryStore } from "./delivery_store.ts";
import { channelsIn, deliveryId } from "./job.ts";
import type {
  DeliveryQueue,
  DeliveryRequest,
  NotificationContent,
  ReviewDelivery,
} from "./types.ts";
import type { RecordKey, RecordStore } from "../../../store/mod.ts";

/** How long less urgent messages wait to be combined with others, in milliseconds. */
export const DIGEST_WINDOW_MS = 60_000;
/** Maximum number of requests per commit. Deno KV allows 1,000 changes. */
const BATCH = 40;
/** Maximum amount of text per commit, in characters. Deno KV allows 800 KiB. */
const BATCH_CHARS = 150_000;

interface DeliveryQueueOptions {
  readonly kv: RecordStore;
  readonly channels: readonly Channel[];
  readonly review: ReviewDelivery;
  /** The nodes that send; by default, only this one. */
  readonly nodes?: Pick<Nodes, "instance" | "isAlive" | "onDeath"> | undefined;
  readonly now: Clock;
  readonly random: Random;
  onTrouble(message: string): void;
}

export interface RunningDeliveryQueue extends DeliveryQueue {
  readonly store: DeliveryStore;
  /** Completes operations that a crash interrupted, and starts sending. */
  start(): Promise<void>;
  /** Like `accept()`, but for one known receiver. */
  acceptTo(request: DeliveryRequest, receiver: Receiver): Promise<void>;
  /** Wakes the channels for which another node has stored something. */
  follow(changed: readonly RecordKey[]): void;
  /** Wakes a channel, because something may be due. */
  wake(channel: DeliveryChannel): void;
  /** Sends everything that is due now, for callers with their own clock. */
  drain(): Promise<void>;
  /** Waits for messages in progress. The remaining messages stay in the store. */
  close(): Promise<void>;
}

function isDigested(channel: Channel, { content }: DeliveryRequest): boolean {
  return channel.digests && (content.priority === "NORMAL" || content.priority === "LOW");
}

/**
 * Returns the key of a digest. A digest covers only one workspace, because the workspace's owners
 * see failed deliveries.
 */
const digestKey = (
  { name }: Channel,
  receiverId: string,
  { category, workspaceId }: NotificationContent,
): string[] => [name, receiverId, category, workspaceId ?? ""];

function jobsOf(
  request: DeliveryRequest,
  channel: Channel,
  { now, receivers }: { readonly now: number; readonly receivers: readonly Receiver[] },
): Acceptance {
  const digested = isDigested(channel, request);
  const { key, userId, content } = request;
  return {
    seenId: deliveryId(key),
    jobs: receivers.map(({ id: receiverId, host }) => ({
      dueAt: digested ? now + DIGEST_WINDOW_MS : now,
      job: {
        id: deliveryId(key, receiverId),
        channel: channel.name,
        target: receiverId,
        host,
        userId,
        workspaceId: content.workspaceId,
        content,
        digest: digested ? { key: digestKey(channel, receiverId, content), open: true } : null,
        acceptedAt: now,
        attempts: 0,
        lastReason: null,
        resent: false,
        dead: null,
      },
    })),
  };
}

/** Splits a list into parts, each of which fits into one commit. */
function* batches(acceptances: readonly Acceptance[]): Generator<Acceptance[]> {
  let batch: Acceptance[] = [];
  let chars = 0;
  for (const acceptance of acceptances) {
    const size = JSON.stringify(acceptance).length;
    if (batch.length > 0 && (batch.length >= BATCH || chars + size > BATCH_CHARS)) {
      yield batch;
      [batch, chars] = [[], 0];
    }
    batch.push(acceptance);
    chars += size;
  }
  if (batch.length > 0) yield batch;
}

export function createDeliveryQueue(options: DeliveryQueueOptions): RunningDeliveryQueue {
  const { kv, channels, review, nodes, now, random, onTrouble } = options;
  const claims = nodes && new Claims(nodes);
  const store = new DeliveryStore(kv);
  const parts = { store, review, claims, now, random, onTrouble };
  const workers = new Map(
    channels.map((channel) => [
      channel.name,
      { channel, worker: new ChannelWorker(channel, parts) },
    ]),
  );
  const all = [...workers.values()];
  /** One receiver's damaged record must not prevent notifications to other receivers. */
  const receiversOf = async (channel: Channel, request: DeliveryRequest, once: ReadOnce) => {
    try {
      return await channel.receivers(request, once);
    } catch (error) {
      if (!(error instanceof DamagedRecordError)) throw error;
      onTrouble(`Cannot send ${request.key} by ${channel.name}: ${error.message}`);
      return [];
    }
  };
  return {
    store,
    async accept(requests, lease) {
      const acceptances: Acceptance[] = [];
      const touched = new Set<ChannelWorker>();
      const once = readOnce();
      const found = await Promise.all(requests.map(async (request) => {
        const entry = workers.get(request.channel);
        if (entry === undefined) return undefined;
        return { ...entry, request, receivers: await receiversOf(entry.channel, request, once) };
      }));
      for (const each of found) {
        if (each === undefined || each.receivers.length === 0) continue;
        const { request, channel, worker, receivers } = each;
        acceptances.push(jobsOf(request, channel, { now: now(), receivers }));
        touched.add(worker);
      }
      for (const batch of batches(acceptances)) await store.accept(batch, lease);
      for (const worker of touched) worker.wake();
    },
    async acceptTo(request, receiver) {
      const entry = workers.get(request.channel);
      if (entry === undefined) throw new TypeError(`No channel ${request.channel}`);
      await store.accept([jobsOf(request, entry.channel, { now: now(), receivers: [receiver] })]);
      entry.worker.wake();
    },
    async start() {
      await store.recover();
      for (const { worker } of all) worker.start();
      nodes?.onDeath(() => {
        for (const { worker } of all) worker.wake();
      });
    },
    follow(changed) {
      for (const name of channelsIn(changed)) workers.get(name)?.worker.wake();
    },
    wake: (channel) => workers.get(channel)?.worker.wake(),
    async drain() {
      await Promise.all(all.map(({ worker }) => worker.drain()));
    },
    async close() {
      await Promise.all(all.map(({ worker }) => worker.close()));
      for (const { channel } of all) channel.close?.();
    },
  };
}
