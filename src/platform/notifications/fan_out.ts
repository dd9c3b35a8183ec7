/**
 * Passes an event on to everyone concerned: to inboxes, open streams, and the delivery queue.
 *
 * @module
 */
import { PERSONAL_CHANNELS, workspaceChannels } from "../../contract/channels.ts";
import type { Clock } from "../../lib/clock.ts";
import { formatCount } from "../../lib/format.ts";
import type { AccountStore } from "../accounts/mod.ts";
import { DamagedRecordError } from "../core/store/mod.ts";
import { type EventRecord, type PassOn, receiptId } from "../core/events/mod.ts";
import { concerns, wantedChannels } from "./preferences/wanted_channels.ts";
import type { DeliveryQueue, DeliveryRequest, NotificationContent } from "./delivery/types.ts";
import { describeEvent } from "./describe_event.ts";
import type { Inboxes } from "./inbox/inboxes.ts";
import type { LiveStreams } from "./live/live_streams.ts";
import { notificationToWire } from "./inbox/notification_wire.ts";
import type { PreferenceService } from "./preferences/preference_service.ts";
import type { Lease, Led } from "../../store/mod.ts";

/** Waits until all promises have settled. Rejects with the first failure. */
async function whenAllEnded<T extends readonly unknown[]>(
  works: readonly [...{ readonly [Place in keyof T]: Promise<T[Place]> }],
): Promise<T> {
  await Promise.allSettled(works);
  return await Promise.all(works) as unknown as T;
}

/** How many members to read at a time, and how many inboxes to write concurrently. */
const MEMBERS = 500;
const PARALLEL = 16;

interface FanOutOptions {
  readonly accounts: AccountStore;
  readonly preferences: PreferenceService;
  readonly inboxes: Led<Pick<Inboxes, "add">>;
  readonly live: LiveStreams;
  readonly delivery: Led<DeliveryQueue>;
  readonly publicOrigin: string;
  readonly now: Clock;
  readonly onTrouble: (message: string) => void;
}

async function memberIds(accounts: AccountStore, workspaceId: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await accounts.members(workspaceId, {
      limit: MEMBERS,
      cursor: cursor ?? undefined,
    });
    ids.push(...page.items.map(({ userId }) => userId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return ids;
}

/** Returns the events that concern each person, in order. */
async function eventsByPerson(
  accounts: AccountStore,
  events: readonly EventRecord[],
): Promise<Map<string, EventRecord[]>> {
  const members = new Map<string, string[]>();
  const byPerson = new Map<string, EventRecord[]>();
  for (const event of events) {
    const { audience } = event;
    let people: readonly string[];
    if (audience.type === "user") people = [audience.userId];
    else {
      const { workspaceId } = audience;
      people = members.get(workspaceId) ?? await memberIds(accounts, workspaceId);
      members.set(workspaceId, [...people]);
    }
    for (const userId of people) {
      const own = byPerson.get(userId);
      if (own === undefined) byPerson.set(userId, [event]);
      else own.push(event);
    }
  }
  return byPerson;
}

function workspaceRequests(contents: readonly NotificationContent[]): DeliveryRequest[] {
  return contents.filter(({ workspaceId }) => workspaceId !== null).flatMap((content) =>
    workspaceChannels(content.category).map((channel) => ({
      key: `${content.id}:${channel}`,
      channel,
      userId: null,
      content,
    }))
  );
}

/**
 * Creates the function that notifies everyone concerned. Repeating a call has no effect. If a call
 * fails, all work that it started has already finished.
 */
export function createFanOut(options: FanOutOptions): PassOn {
  const { accounts, preferences, inboxes, live, delivery, publicOrigin, now, onTrouble } = options;

  const contentOf = ({ audience, ...event }: EventRecord): NotificationContent =>
    describeEvent({ ...event, workspaceId: audience.workspaceId }, { origin: publicOrigin });

  /** Notifies one person. Returns the messages to send outside the platform. */
  async function notify(
    userId: string,
    contents: readonly NotificationContent[],
    lease: Lease,
  ): Promise<DeliveryRequest[]> {
    const inApp: NotificationContent[] = [];
    const requests: DeliveryRequest[] = [];
    for (const event of contents) {
      const { categories } = await preferences.of({ userId, workspaceId: event.workspaceId });
      const wanted = categories.find(({ category }) => category === event.category)!;
      if (!concerns(userId, event, wanted)) continue;
      const channels = wantedChannels(event, wanted, now());
      const content = { ...event, id: receiptId(event.id, userId) };
      if (channels.includes("in_app")) inApp.push(content);
      for (const channel of PERSONAL_CHANNELS) {
        if (!channels.includes(channel)) continue;
        requests.push({ key: `${event.id}:${userId}:${channel}`, channel, userId, content });
      }
    }
    const added = inApp.length === 0 ? [] : await inboxes.add(userId, inApp, lease);
    await live.publish(
      userId,
      added.map((content) => ({
        message: {
          type: "notification",
          ...notificationToWire(content, { readAt: null, archivedAt: null }),
        },
        workspaceId: content.workspaceId,
      })),
    );
    return requests;
  }

  /** One person's damaged record must not prevent notifications to other people. */
  const notifyOrSkip: typeof notify = async (userId, contents, lease) => {
    try {
      return await notify(userId, contents, lease);
    } catch (error) {
      if (!(error instanceof DamagedRecordError)) throw error;
      const events = formatCount(contents.length, "event");
      onTrouble(`Cannot notify user ${userId} of ${events}: ${error.message}`);
      return [];
    }
  };

  return async (events, lease) => {
    const contents = new Map(events.map((event) => [event, contentOf(event)]));
    const toContent = (event: EventRecord) => contents.get(event)!;
    const [byPerson] = await whenAllEnded<[Map<string, EventRecord[]>, void]>([
      eventsByPerson(accounts, events),
      delivery.accept(workspaceRequests([...contents.values()]), lease),
    ]);
    const people = [...byPerson];
    for (let start = 0; start < people.length; start += PARALLEL) {
      const requests = await whenAllEnded<DeliveryRequest[][]>(
        people.slice(start, start + PARALLEL)
          .map(([userId, own]) => notifyOrSkip(userId, own.map(toContent), lease)),
      );
      await delivery.accept(requests.flat(), lease);
    }
  };
}
