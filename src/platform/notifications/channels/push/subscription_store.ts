/**
 * Subscribed browsers in Deno KV: by account, and by endpoint, as a browser
 * belongs to the account that subscribed it last.
 *
 * @module
 */
import * as z from "zod";
import { MAX_PUSH_SUBSCRIPTIONS } from "../../../../contract/push.ts";
import { sha256Hex } from "../../../../lib/hash.ts";
import { isInScope, type PersonalScope, type SelfCaller } from "../../../core/access/mod.ts";
import { addCreation, forgetCreation } from "../../../accounts/mod.ts";
import { Failure } from "../../../core/http/mod.ts";
import {
  commitWithRetries,
  type Page,
  readAll,
  readPage,
  readRecord,
} from "../../../core/store/mod.ts";
import type { Operation, RecordStore } from "../../../../store/mod.ts";

export const subscriptionRecord = z.object({
  id: z.string(),
  userId: z.string(),
  endpoint: z.string(),
  p256dh: z.string(),
  auth: z.string(),
  name: z.string(),
  /** The only workspace whose notifications it gets, that of its key or tool; null for all. */
  workspaceId: z.string().nullable().default(null),
  /** The credential that made it, with which it ends; null for older ones. */
  credentialId: z.string().nullable().default(null),
  createdAt: z.number(),
  lastDeliveredAt: z.number().nullable(),
});
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

const keys = {
  ofUser: (userId: string) => ["push_subscriptions", userId],
  one: (userId: string, id: string) => ["push_subscriptions", userId, id],
  byEndpoint: (endpoint: string) => ["push_endpoints", sha256Hex(endpoint)],
} as const;

/** What a browser requests; the store decides whether it may have it. */
export type NewSubscription = Pick<
  SubscriptionRecord,
  "id" | "endpoint" | "p256dh" | "auth" | "name" | "createdAt"
>;

/** A browser may change accounts; a key or token changes only what is in its scope. */
const mayReplace = (own: SelfCaller, { userId, workspaceId }: SubscriptionRecord): boolean =>
  own.workspaceId === null || (own.userId === userId && own.workspaceId === workspaceId);

const endpointTaken = () =>
  new Failure(
    "conflict",
    "Endpoint is subscribed already, not by this workspace: a browser has to end that first",
  );

const owner = z.object({ userId: z.string(), id: z.string() });

export class SubscriptionStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** A subscription to send to, whoever made it. */
  async find(userId: string, id: string): Promise<SubscriptionRecord | undefined> {
    return (await readRecord(this.#kv, keys.one(userId, id), subscriptionRecord))?.value;
  }

  /** Whether a browser of a person is subscribed. */
  async hasAny(userId: string): Promise<boolean> {
    for await (const _ of this.#kv.list({ prefix: keys.ofUser(userId) }, { limit: 1 })) return true;
    return false;
  }

  async ofUser(userId: string): Promise<SubscriptionRecord[]> {
    const entries = readAll(this.#kv, keys.ofUser(userId), subscriptionRecord);
    return (await Array.fromAsync(entries)).map(({ value }) => value);
  }

  /** One page of those in scope, newest first. */
  async page(
    scope: PersonalScope,
    wish: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<SubscriptionRecord>> {
    const items: SubscriptionRecord[] = [];
    let { cursor } = wish;
    for (;;) {
      const page = await readPage(this.#kv, keys.ofUser(scope.userId), {
        schema: subscriptionRecord,
        limit: wish.limit - items.length,
        cursor,
      });
      items.push(...page.items.filter(({ workspaceId }) => isInScope(scope, workspaceId)));
      const { nextCursor } = page;
      if (nextCursor === null || items.length === wish.limit) return { items, nextCursor };
      cursor = nextCursor;
    }
  }

  /**
   * Stores a subscription in the scope of its credential, until that is revoked. The same
   * endpoint keeps its id, and a person at a browser takes it over from any account.
   * Where an account or workspace has too many, its oldest is removed.
   *
   * @throws {Failure} `conflict` where a key or token names an endpoint out of its scope.
   */
  async put(own: SelfCaller, wanted: NewSubscription): Promise<SubscriptionRecord> {
    const byEndpoint = keys.byEndpoint(wanted.endpoint);
    const { userId, workspaceId, credential } = own;
    const contended = [byEndpoint, keys.ofUser(userId)];
    const { result } = await commitWithRetries(this.#kv, contended, async () => {
      const known = await readRecord(this.#kv, byEndpoint, owner);
      const before = known && await this.find(known.value.userId, known.value.id);
      if (before !== undefined && !mayReplace(own, before)) throw endpointTaken();
      const operation = this.#kv.atomic()
        .check({ key: byEndpoint, versionstamp: known?.versionstamp ?? null });
      const kept = before?.userId === userId ? before : undefined;
      const others = (await this.ofUser(userId))
        .filter((other) => other.workspaceId === workspaceId && other.id !== kept?.id);
      if (before !== undefined) {
        forgetCreation(operation, before);
        if (kept === undefined) operation.delete(keys.one(before.userId, before.id));
      }
      if (others.length >= MAX_PUSH_SUBSCRIPTIONS) this.#dropFrom(operation, others[0]!);
      const result: SubscriptionRecord = {
        ...wanted,
        id: kept?.id ?? wanted.id,
        createdAt: kept?.createdAt ?? wanted.createdAt,
        userId,
        workspaceId,
        credentialId: credential.id,
        lastDeliveredAt: kept?.lastDeliveredAt ?? null,
      };
      const key = keys.one(userId, result.id);
      operation.set(key, result).set(byEndpoint, { userId, id: result.id });
      await addCreation(this.#kv, operation, { own, id: result.id, keys: [key, byEndpoint] });
      return { operation, result };
    });
    return result;
  }

  /** Records a delivery. */
  async touch(subscription: SubscriptionRecord, at: number): Promise<void> {
    const key = keys.one(subscription.userId, subscription.id);
    await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, subscriptionRecord);
      const operation = this.#kv.atomic();
      if (current === undefined) return { operation, result: undefined };
      operation.check({ key, versionstamp: current.versionstamp })
        .set(key, { ...current.value, lastDeliveredAt: at });
      return { operation, result: undefined };
    });
  }

  /** Removes a subscription; false where there is none in scope. */
  async remove(scope: PersonalScope, id: string): Promise<boolean> {
    const subscription = await this.find(scope.userId, id);
    if (subscription === undefined || !isInScope(scope, subscription.workspaceId)) return false;
    const operation = this.#kv.atomic();
    this.#dropFrom(operation, subscription);
    await operation.commit();
    return true;
  }

  #dropFrom(operation: Operation, subscription: SubscriptionRecord) {
    const { userId, id, endpoint } = subscription;
    operation.delete(keys.one(userId, id)).delete(keys.byEndpoint(endpoint));
    forgetCreation(operation, subscription);
  }
}
