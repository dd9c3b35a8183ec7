/**
 * `/v1/notifications/vapid-key` and `/v1/notifications/push-subscription`.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createECDH } from "node:crypto";
import { endpoints, type PushSubscription } from "../../../../contract/mod.ts";
import type { Clock, Random } from "../../../../lib/clock.ts";
import { uuidV7 } from "../../../../lib/ids.ts";
import { agentName } from "../../../http/client.ts";
import { Failure } from "../../../http/failure.ts";
import type { Router } from "../../../http/router.ts";
import type { Page } from "../../../store/records.ts";
import type { SubscriptionRecord, SubscriptionStore } from "./subscription_store.ts";
import type { VapidKeys } from "./vapid.ts";

const isoOrNull = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();

const toWire = (
  { id, name, endpoint, createdAt, lastDeliveredAt }: SubscriptionRecord,
): PushSubscription => ({
  id,
  name,
  service: new URL(endpoint).host,
  createdAt: new Date(createdAt).toISOString(),
  lastDeliveredAt: isoOrNull(lastDeliveredAt),
});

/** @throws {Failure} where the browser's key is no point on the curve. */
function checkKey(p256dh: string): void {
  const own = createECDH("prime256v1");
  own.generateKeys();
  try {
    own.computeSecret(Buffer.from(p256dh, "base64url"));
  } catch {
    throw new Failure("invalid_request", "Request is not valid: body.keys.p256dh is no P-256 key", {
      problems: [{ path: "body.keys.p256dh", message: "Must be a point on P-256" }],
    });
  }
}

/** The subscribed browsers of an account, newest first. */
export async function subscriptionsOf(
  { pushSubscriptions }: { readonly pushSubscriptions: SubscriptionStore },
  userId: string,
  wish: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<PushSubscription>> {
  const page = await pushSubscriptions.page(userId, wish);
  return { ...page, items: page.items.map(toWire) };
}

export function bindPushRoutes(router: Router, services: {
  readonly pushSubscriptions: SubscriptionStore;
  vapidKeys(): Promise<VapidKeys>;
  readonly now: Clock;
  readonly random: Random;
}): void {
  const { pushSubscriptions, now, random } = services;
  router.open(endpoints.getVapidKey, async () => {
    const { publicKey } = await services.vapidKeys();
    return { publicKey };
  });
  router.held(endpoints.createPushSubscription, async ({ user }, { body, client }) => {
    checkKey(body.keys.p256dh);
    return toWire(
      await pushSubscriptions.put({
        id: uuidV7(now, random),
        userId: user.id,
        endpoint: body.endpoint,
        p256dh: body.keys.p256dh,
        auth: body.keys.auth,
        name: agentName(client.userAgent),
        createdAt: now(),
        lastDeliveredAt: null,
      }),
    );
  });
  router.held(
    endpoints.listPushSubscriptions,
    ({ user }, { query }) => subscriptionsOf(services, user.id, query),
  );
  router.held(endpoints.deletePushSubscription, async ({ user }, { params }) => {
    if (!await pushSubscriptions.remove(user.id, params.subscription_id)) {
      throw new Failure("not_found", "No such subscription");
    }
    return undefined;
  });
}
