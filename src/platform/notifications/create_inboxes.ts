/** Wires up inboxes, which show people the events that concern them. @module */
import type { Notification } from "../../contract/notifications.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AccountStore } from "../accounts/mod.ts";
import type { EventBus } from "../core/events/mod.ts";
import type { DeliveryQueue } from "./delivery/types.ts";
import { createFanOut } from "./fan_out.ts";
import { inboxesIn, InboxStore } from "./inbox/inbox_store.ts";
import { Inboxes } from "./inbox/inboxes.ts";
import { LiveStreams, MAX_REPLAYED } from "./live/live_streams.ts";
import { NotificationService } from "./notification_service.ts";
import type { PreferenceService } from "./preferences/preference_service.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

interface InboxOptions {
  readonly kv: RecordStore;
  readonly accounts: AccountStore;
  isMember(userId: string, workspaceId: string): Promise<boolean>;
  readonly preferences: PreferenceService;
  readonly events: EventBus;
  readonly delivery: DeliveryQueue;
  readonly publicOrigin: string;
  readonly now: Clock;
  readonly onTrouble: (message: string) => void;
}

export interface InboxServices {
  readonly inboxes: Inboxes;
  readonly live: LiveStreams;
  readonly notifications: NotificationService;
  /** Shows people the changes that another node made to their inboxes. */
  followInboxes(changed: readonly RecordKey[]): Promise<void>;
  /** Discards cached inboxes after changes by other nodes were missed. */
  rereadInboxes(): void;
  /** Starts notifying people, beginning with events that have not been passed on yet. */
  startNotifications(): void;
}

export function createInboxes(options: InboxOptions): InboxServices {
  const { kv, accounts, preferences, events, delivery, publicOrigin, now, onTrouble } = options;
  const { isMember } = options;
  const inboxes = new Inboxes({ store: new InboxStore(kv), now, isMember, onTrouble });
  const live = new LiveStreams({
    counts: (view) => inboxes.counts(view),
    lastId: (userId) => inboxes.lastId(userId),
    after: (view, id, limit) => inboxes.after(view, id, limit),
    onTrouble,
  });
  const fanOut = { accounts, preferences, inboxes, live, delivery, publicOrigin, now, onTrouble };
  return {
    inboxes,
    live,
    notifications: new NotificationService(inboxes, live),
    async followInboxes(changed) {
      for (const userId of new Set(inboxesIn(changed))) {
        const added = await inboxes.reread(userId, MAX_REPLAYED);
        if (!live.isRead(userId)) continue;
        if (added === undefined || added.length === 0) await live.reset(userId);
        else {
          const message = (each: Notification) => ({ type: "notification" as const, ...each });
          await live.publish(
            userId,
            added.map((each) => ({ message: message(each), workspaceId: each.workspaceId })),
          );
        }
      }
    },
    rereadInboxes: () => inboxes.rereadAll(),
    startNotifications: () => events.start(createFanOut(fanOut)),
  };
}
