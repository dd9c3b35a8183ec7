/**
 * Subscribed browsers in Deno KV. Each browser belongs to the account that last subscribed it.
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
  countBelow,
  type Page,
  type PageRange,
  RecordType,
  Table,
} from "../../../core/store/mod.ts";
import type { Operation, RecordStore } from "../../../../store/mod.ts";

const subscriptionRecord = z.object({
  id: z.string(),
  userId: z.string(),
  endpoint: z.string(),
  p256dh: z.string(),
  auth: z.string(),
  name: z.string(),
  /**
   * The workspace of the key or client that created the subscription, which receives only this
   * workspace's notifications; `null` for all workspaces.
   */
  workspaceId: z.string().nullable().default(null),
  /**
   * The credential that created the subscription, which ends when that credential is revoked;
   * `null` for older subscriptions.
   */
  credentialId: z.string().nullable().default(null),
  createdAt: z.number(),
  lastDeliveredAt: z.number().nullable(),
});
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

const endpointKey = (endpoint: string) => ["push_endpoints", sha256Hex(endpoint)];

const subscriptions = new RecordType({
  root: ["push_subscriptions"],
  schema: subscriptionRecord,
  parts: ({ userId, id }) => [userId, id],
  indices: {
    endpoint: {
      entries: ({ endpoint }) => [endpointKey(endpoint)],
      holds: ["userId", "id"],
      unique: true,
    },
  },
});

/** The subscription that a browser requests. The store decides whether to accept it. */
type NewSubscription = Pick<
  SubscriptionRecord,
  "id" | "endpoint" | "p256dh" | "auth" | "name" | "createdAt"
>;

/**
 * Returns whether a subscription may be replaced. A browser can change accounts, but a key or token
 * is limited to its scope.
 */
const mayReplace = (own: SelfCaller, { userId, workspaceId }: SubscriptionRecord): boolean =>
  own.workspaceId === null || (own.userId === userId && own.workspaceId === workspaceId);

const endpointTaken = () =>
  new Failure(
    "conflict",
    "Endpoint is already subscribed outside this workspace. End that subscription in the browser first",
  );

export class SubscriptionStore extends Table<
  SubscriptionRecord,
  readonly [string, string],
  "endpoint"
> {
  constructor(kv: RecordStore) {
    super(kv, subscriptions);
  }

  async hasAny(userId: string): Promise<boolean> {
    return await countBelow(this.kv, [...subscriptions.root, userId], 1) > 0;
  }

  async page(
    scope: PersonalScope,
    range: PageRange,
  ): Promise<Page<SubscriptionRecord>> {
    const items: SubscriptionRecord[] = [];
    let { cursor } = range;
    for (;;) {
      const page = await this.list(scope.userId, { limit: range.limit - items.length, cursor });
      items.push(...page.items.filter(({ workspaceId }) => isInScope(scope, workspaceId)));
      const { nextCursor } = page;
      if (nextCursor === null || items.length === range.limit) return { items, nextCursor };
      cursor = nextCursor;
    }
  }

  /**
   * Stores a subscription until its credential is revoked. The same endpoint keeps its ID. If there
   * are too many subscriptions, removes the oldest.
   *
   * @throws {Failure} `conflict` if the endpoint is outside the scope of a key or token.
   */
  async put(own: SelfCaller, wanted: NewSubscription): Promise<SubscriptionRecord> {
    const byEndpoint = endpointKey(wanted.endpoint);
    const { userId, workspaceId, credential } = own;
    const contended = [byEndpoint, [...subscriptions.root, userId]];
    return await commitWithRetries(this.kv, contended, async (operation) => {
      const known = await this.readBy("endpoint", byEndpoint);
      const before = known?.value;
      if (before !== undefined && !mayReplace(own, before)) throw endpointTaken();
      const kept = before?.userId === userId ? before : undefined;
      const others = (await this.collect(userId))
        .filter((other) => other.workspaceId === workspaceId && other.id !== kept?.id);
      if (others.length >= MAX_PUSH_SUBSCRIPTIONS) dropFrom(operation, others[0]!);
      const result: SubscriptionRecord = {
        ...wanted,
        id: kept?.id ?? wanted.id,
        createdAt: kept?.createdAt ?? wanted.createdAt,
        userId,
        workspaceId,
        credentialId: credential.id,
        lastDeliveredAt: kept?.lastDeliveredAt ?? null,
      };
      if (known === undefined) subscriptions.insert(operation, result);
      else {
        forgetCreation(operation, known.value);
        subscriptions.replace(operation, known, result);
      }
      const made = { own, id: result.id, keys: [subscriptions.keyOf(result), byEndpoint] };
      await addCreation(this.kv, operation, made);
      return result;
    });
  }

  /** Removes a subscription. Returns `false` if it is not in scope. */
  async removeFrom(scope: PersonalScope, id: string): Promise<boolean> {
    const subscription = await this.find(scope.userId, id);
    if (subscription === undefined || !isInScope(scope, subscription.workspaceId)) return false;
    const operation = this.kv.atomic();
    dropFrom(operation, subscription);
    await operation.commit();
    return true;
  }
}

function dropFrom(operation: Operation, subscription: SubscriptionRecord): void {
  subscriptions.drop(operation, subscription);
  forgetCreation(operation, subscription);
}
