/**
 * Subscribed browsers in Deno KV: by account, and by endpoint, as a browser
 * belongs to the account that subscribed it last.
 *
 * @module
 */
import { z } from "zod";
import { MAX_PUSH_SUBSCRIPTIONS } from "../../../../contract/mod.ts";
import { sha256Hex } from "../../../../lib/hash.ts";
import {
  commitWithRetries,
  type Page,
  readAll,
  readPage,
  readRecord,
} from "../../../store/records.ts";

export const subscriptionRecord = z.object({
  id: z.string(),
  userId: z.string(),
  endpoint: z.string(),
  p256dh: z.string(),
  auth: z.string(),
  name: z.string(),
  createdAt: z.number(),
  lastDeliveredAt: z.number().nullable(),
});
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

type Key = Deno.KvKey;

const keys = {
  ofUser: (userId: string): Key => ["push_subscriptions", userId],
  one: (userId: string, id: string): Key => ["push_subscriptions", userId, id],
  byEndpoint: (endpoint: string): Key => ["push_endpoints", sha256Hex(endpoint)],
} as const;

const owner = z.object({ userId: z.string(), id: z.string() });

export class SubscriptionStore {
  constructor(private readonly kv: Deno.Kv) {}

  async find(userId: string, id: string): Promise<SubscriptionRecord | undefined> {
    return (await readRecord(this.kv, keys.one(userId, id), subscriptionRecord))?.value;
  }

  async ofUser(userId: string): Promise<SubscriptionRecord[]> {
    const entries = readAll(this.kv, keys.ofUser(userId), subscriptionRecord);
    return (await Array.fromAsync(entries)).map(({ value }) => value);
  }

  page(
    userId: string,
    wish: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<SubscriptionRecord>> {
    return readPage(this.kv, keys.ofUser(userId), { schema: subscriptionRecord, ...wish });
  }

  /**
   * Stores a subscription. The same endpoint again keeps its id, or leaves the
   * account that it was of; where there are too many, the oldest goes.
   */
  async put(wanted: SubscriptionRecord): Promise<SubscriptionRecord> {
    const byEndpoint = keys.byEndpoint(wanted.endpoint);
    const { result } = await commitWithRetries(
      this.kv,
      [byEndpoint, keys.ofUser(wanted.userId)],
      async () => {
        const known = await readRecord(this.kv, byEndpoint, owner);
        const others = await this.ofUser(wanted.userId);
        const operation = this.kv.atomic()
          .check({ key: byEndpoint, versionstamp: known?.versionstamp ?? null });
        const isOwn = known?.value.userId === wanted.userId;
        const before = isOwn ? others.find(({ id }) => id === known.value.id) : undefined;
        const result = before === undefined
          ? wanted
          : { ...wanted, id: before.id, createdAt: before.createdAt };
        if (known !== undefined && !isOwn) {
          operation.delete(keys.one(known.value.userId, known.value.id));
        }
        if (before === undefined && others.length >= MAX_PUSH_SUBSCRIPTIONS) {
          this.dropFrom(operation, others[0]!);
        }
        operation.set(keys.one(result.userId, result.id), result)
          .set(byEndpoint, { userId: result.userId, id: result.id });
        return { operation, result };
      },
    );
    return result;
  }

  /** Takes note of a delivery. */
  async touch(subscription: SubscriptionRecord, at: number): Promise<void> {
    const key = keys.one(subscription.userId, subscription.id);
    await commitWithRetries(this.kv, [key], async () => {
      const current = await readRecord(this.kv, key, subscriptionRecord);
      const operation = this.kv.atomic();
      if (current === undefined) return { operation, result: undefined };
      operation.check({ key, versionstamp: current.versionstamp })
        .set(key, { ...current.value, lastDeliveredAt: at });
      return { operation, result: undefined };
    });
  }

  /** Removes a subscription; false where there is none. */
  async remove(userId: string, id: string): Promise<boolean> {
    const subscription = await this.find(userId, id);
    if (subscription === undefined) return false;
    const operation = this.kv.atomic();
    this.dropFrom(operation, subscription);
    await operation.commit();
    return true;
  }

  private dropFrom(operation: Deno.AtomicOperation, { userId, id, endpoint }: SubscriptionRecord) {
    operation.delete(keys.one(userId, id)).delete(keys.byEndpoint(endpoint));
  }
}
