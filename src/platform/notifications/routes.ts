/** `/v1/notifications` and `/v1/events`. @module */
import { type EventName, EVENTS } from "../../contract/events.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Authenticator } from "../accounts/mod.ts";
import type { Caller } from "../core/access/mod.ts";
import type { EventAudience, EventBus } from "../core/events/mod.ts";
import type { Router } from "../core/http/mod.ts";
import { inboxViewOf } from "./inbox/inbox_view.ts";
import type { LiveStreams } from "./live/live_streams.ts";
import type { NotificationService } from "./notification_service.ts";
import type { PreferenceService } from "./preferences/preference_service.ts";
import { standingAccess } from "./live/standing_access.ts";

interface NotificationRouteServices {
  readonly notifications: NotificationService;
  readonly preferences: PreferenceService;
  readonly live: LiveStreams;
  readonly events: EventBus;
  readonly authenticator: Authenticator;
  readonly publicOrigin: string;
  readonly now: Clock;
  readonly closing: AbortSignal;
  onTrouble(message: string): void;
}

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

export function bindNotificationRoutes(router: Router, services: NotificationRouteServices): void {
  bindInbox(router, services);
  bindPreferences(router, services);
  bindStream(router, services);
  bindEvents(router, services);
}

/** Routes with a fixed name must come before routes with an ID. */
function bindInbox(router: Router, services: NotificationRouteServices): void {
  const { notifications } = services;

  router.self(endpoints.listNotifications, async (own, { query }) => {
    const { limit, offset } = query;
    return { ...await notifications.inboxes.list(inboxViewOf(own), query), limit, offset };
  });
  router.self(
    endpoints.hasUnread,
    async (own) => ({ hasUnread: await notifications.inboxes.hasUnread(inboxViewOf(own)) }),
  );
  router.self(endpoints.getInboxCount, (own) => notifications.inboxes.counts(inboxViewOf(own)));
  router.self(
    endpoints.readAllNotifications,
    async (own) => ({ read: await notifications.readAll(inboxViewOf(own)) }),
  );
  router.self(
    endpoints.archiveAllNotifications,
    async (own) => ({ archived: await notifications.archiveAll(inboxViewOf(own)) }),
  );
  router.self(
    endpoints.deleteArchivedNotifications,
    async (own) => ({ deleted: await notifications.deleteArchived(inboxViewOf(own)) }),
  );
  router.self(
    endpoints.readNotification,
    (own, { params }) => notifications.read(inboxViewOf(own), params.notification),
  );
  router.self(
    endpoints.archiveNotification,
    (own, { params }) => notifications.archive(inboxViewOf(own), params.notification),
  );
  router.self(endpoints.deleteNotification, async (own, { params }) => {
    await notifications.delete(inboxViewOf(own), params.notification);
    return undefined;
  });
}

function bindPreferences(router: Router, { preferences }: NotificationRouteServices): void {
  router.self(endpoints.getPreferences, (own) => preferences.of(own));
  router.self(
    endpoints.putChannelPreference,
    (own, { body }) => preferences.setChannel(own, body),
  );
  router.self(
    endpoints.putCategoryPreference,
    (own, { body }) => preferences.setCategory(own, body),
  );
}

function bindStream(router: Router, services: NotificationRouteServices): void {
  const { live, authenticator, closing } = services;
  const { memory } = authenticator;
  closing.addEventListener("abort", () => live.close(), { once: true });
  memory.onForget((credential) => {
    live.check(credential).catch((error) =>
      services.onTrouble(`Cannot check live streams: ${error}`)
    );
  });
  router.self(endpoints.streamNotifications, (own, { request }) => {
    const body = live.open(inboxViewOf(own), {
      lastId: request.headers.get("last-event-id"),
      credential: own.hash,
      isAllowed: standingAccess(own, { ...services, memory }),
    });
    if (closing.aborted) live.close();
    return new Response(body, { headers: STREAM_HEADERS });
  });
}

/** Returns the audience of an event. A security event concerns only the person who raises it. */
function audienceOf({ user, workspace }: Caller, event: EventName): EventAudience {
  const workspaceId = workspace.id;
  return EVENTS[event].category === "Security"
    ? { type: "user", userId: user.id, workspaceId }
    : { type: "workspace", workspaceId };
}

function bindEvents(router: Router, { events }: NotificationRouteServices): void {
  router.guarded(endpoints.triggerEvent, async (caller, { body }) => {
    const { event, data, key } = body;
    const id = await events.record({
      event,
      audience: audienceOf(caller, event),
      data: definedOnly(data ?? {}),
      key,
    });
    await events.passed(id);
    const { category, priority } = EVENTS[event];
    return { id, event, category, priority };
  });
}

/** Returns the data to store, without undefined fields. */
function definedOnly<Value>(
  data: Readonly<Record<string, Value | undefined>>,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]),
  );
}
