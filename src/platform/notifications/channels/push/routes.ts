/** `/v1/notifications/vapid-key` and `/v1/notifications/push-subscription`. @module */
import { Buffer } from "node:buffer";
import { endpoints } from "../../../../contract/endpoints.ts";
import type { PushSubscription } from "../../../../contract/push.ts";
import type { Clock, Random } from "../../../../lib/clock.ts";
import { uuidV7 } from "../../../../lib/ids.ts";
import type { PersonalScope } from "../../../core/access/mod.ts";
import { agentName, Failure, type Router } from "../../../core/http/mod.ts";
import type { Page, PageRange } from "../../../core/store/mod.ts";
import { isP256Point } from "./p256_point.ts";
import type { SubscriptionRecord, SubscriptionStore } from "./subscription_store.ts";
import type { PreferenceService } from "../../preferences/preference_service.ts";
import type { VapidKeys } from "./vapid.ts";

const isoOrNull = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();

const toWire = (
  { id, name, endpoint, workspaceId, createdAt, lastDeliveredAt }: SubscriptionRecord,
): PushSubscription => ({
  id,
  name,
  service: new URL(endpoint).host,
  workspaceId,
  createdAt: new Date(createdAt).toISOString(),
  lastDeliveredAt: isoOrNull(lastDeliveredAt),
});

/** @throws {Failure} if the browser's key is not a point on the curve. */
function checkKey(p256dh: string): void {
  if (isP256Point(Buffer.from(p256dh, "base64url"))) return;
  throw new Failure(
    "invalid_request",
    "Request is not valid: body.keys.p256dh is not a P-256 key",
    {
      problems: [{ path: "body.keys.p256dh", message: "Must be a point on P-256" }],
    },
  );
}

export async function subscriptionsOf(
  { pushSubscriptions }: { readonly pushSubscriptions: SubscriptionStore },
  scope: PersonalScope,
  range: PageRange,
): Promise<Page<PushSubscription>> {
  const page = await pushSubscriptions.page(scope, range);
  return { ...page, items: page.items.map(toWire) };
}

export function bindPushRoutes(router: Router, services: {
  readonly pushSubscriptions: SubscriptionStore;
  vapidKeys(): Promise<VapidKeys>;
  readonly preferences: Pick<PreferenceService, "setChannel">;
  readonly now: Clock;
  readonly random: Random;
}): void {
  const { pushSubscriptions, now, random } = services;
  router.open(endpoints.getVapidKey, async () => {
    const { publicKey } = await services.vapidKeys();
    return { publicKey };
  });
  router.self(endpoints.createPushSubscription, async (own, { body, client }) => {
    checkKey(body.keys.p256dh);
    const isFirst = !await pushSubscriptions.hasAny(own.userId);
    const made = toWire(
      await pushSubscriptions.put(own, {
        id: uuidV7(now, random),
        endpoint: body.endpoint,
        p256dh: body.keys.p256dh,
        auth: body.keys.auth,
        name: agentName(client.userAgent),
        createdAt: now(),
      }),
    );
    // Turns on push notifications, because a person who subscribes a browser wants them.
    if (isFirst) await services.preferences.setChannel(own, { channel: "push", enabled: true });
    return made;
  });
  router.self(
    endpoints.listPushSubscriptions,
    (own, { query }) => subscriptionsOf(services, own, query),
  );
  router.self(endpoints.deletePushSubscription, async (own, { params }) => {
    if (!await pushSubscriptions.removeFrom(own, params.subscription_id)) {
      throw new Failure("not_found", `Push subscription ${params.subscription_id} does not exist`);
    }
    return undefined;
  });
}
