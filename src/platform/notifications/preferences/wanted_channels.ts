import { type Channel, CHANNEL_ROWS, CHANNELS } from "../../../contract/channels.ts";
import type { EventData } from "../../../contract/event_data.ts";
import { PRIORITIES, type Priority } from "../../../contract/events.ts";
import { type CategoryPreferences } from "../../../contract/notifications.ts";
/**
 * Decides which channels a notification uses, based on its priority, its reader's preferences, and
 * the time. Pure. (Spec: "Priority behavior", "Filtering rules".)
 *
 * @module
 */

const HOUR_MINUTES = 60;
const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;

const minuteOf = (time: string): number =>
  Number(time.slice(0, 2)) * HOUR_MINUTES + Number(time.slice(3));

/**
 * Returns whether a time is within quiet hours, which include their start but not their end, and
 * can span midnight. If start and end are equal, there are no quiet hours.
 */
export function isQuiet(hours: CategoryPreferences["quietHours"], now: number): boolean {
  if (hours === null) return false;
  const [start, end] = [minuteOf(hours.start), minuteOf(hours.end)];
  const minute = Math.floor((((now % DAY_MS) + DAY_MS) % DAY_MS) / MINUTE_MS);
  return start <= end ? start <= minute && minute < end : start <= minute || minute < end;
}

export function isAsUrgentAs(priority: Priority, minimum: Priority): boolean {
  return PRIORITIES.indexOf(priority) <= PRIORITIES.indexOf(minimum);
}

/**
 * Returns whether an event concerns a person. Automatic deployments concern everyone. The
 * preferences decide whether other people's deployments do.
 */
export function concerns(
  userId: string,
  { data }: { readonly data: EventData },
  { deployments = "all" }: CategoryPreferences,
): boolean {
  if (deployments !== "own") return deployments === "all";
  return typeof data.startedBy !== "string" || data.startedBy === userId;
}

/**
 * Returns the channels that a notification uses. CRITICAL notifications use all channels.
 * `preferences` are those for the notification's category.
 */
export function wantedChannels(
  { priority }: { readonly priority: Priority },
  { channels, minimumPriority, quietHours }: CategoryPreferences,
  now: number,
): Channel[] {
  if (priority === "CRITICAL") return CHANNELS;
  if (!isAsUrgentAs(priority, minimumPriority)) return [];
  const quiet = isQuiet(quietHours, now);
  return CHANNELS.filter((channel) =>
    channels[channel] && (!quiet || isAsUrgentAs(priority, CHANNEL_ROWS[channel].quiet))
  );
}
