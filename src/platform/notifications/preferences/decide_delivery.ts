/**
 * Decides which channels a notification uses, by its priority, its reader's
 * preferences, and the time. Pure. (Spec: "Priority behavior", "Filtering rules";
 * design: "Notifications".)
 *
 * @module
 */
import {
  type CategoryPreferences,
  type Channel,
  CHANNELS,
} from "../../../contract/notifications.ts";
import { PRIORITIES, type Priority } from "../../../contract/events.ts";

/** Why a channel is used or not. */
export type DeliveryReason =
  /** CRITICAL is always sent to all channels. */
  | "critical"
  | "wanted"
  | "channel_off"
  | "below_minimum"
  | "quiet_hours";

export interface ChannelDecision {
  readonly send: boolean;
  readonly reason: DeliveryReason;
}

export type DeliveryDecision = Readonly<Record<Channel, ChannelDecision>>;

const HOUR_MINUTES = 60;
const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;

const minuteOf = (time: string): number =>
  Number(time.slice(0, 2)) * HOUR_MINUTES + Number(time.slice(3));

/**
 * Whether a moment is within quiet hours: from their start until before their end,
 * across midnight where the end is earlier. Equal times mean no quiet hours.
 */
export function isQuiet(hours: CategoryPreferences["quietHours"], now: number): boolean {
  if (hours === null) return false;
  const [start, end] = [minuteOf(hours.start), minuteOf(hours.end)];
  const minute = Math.floor((((now % DAY_MS) + DAY_MS) % DAY_MS) / MINUTE_MS);
  return start <= end ? start <= minute && minute < end : start <= minute || minute < end;
}

/** Whether one priority is at least as urgent as another. */
export function isAsUrgentAs(priority: Priority, minimum: Priority): boolean {
  return PRIORITIES.indexOf(priority) <= PRIORITIES.indexOf(minimum);
}

/** What quiet hours let through: HIGH on all channels but email, the rest in-app only. */
function breaksQuiet(priority: Priority, channel: Channel): boolean {
  return channel === "in_app" || (priority === "HIGH" && channel !== "email");
}

function decideChannel(
  priority: Priority,
  channel: Channel,
  { preferences, quiet }: { readonly preferences: CategoryPreferences; readonly quiet: boolean },
): ChannelDecision {
  if (priority === "CRITICAL") return { send: true, reason: "critical" };
  if (!preferences.channels[channel]) return { send: false, reason: "channel_off" };
  if (!isAsUrgentAs(priority, preferences.minimumPriority)) {
    return { send: false, reason: "below_minimum" };
  }
  if (quiet && !breaksQuiet(priority, channel)) return { send: false, reason: "quiet_hours" };
  return { send: true, reason: "wanted" };
}

/**
 * Decides for each channel whether a notification uses it, and why.
 *
 * @param preferences Those of the notification's category.
 * @param now Milliseconds since the epoch.
 */
export function decideDelivery(
  event: { readonly priority: Priority },
  preferences: CategoryPreferences,
  now: number,
): DeliveryDecision {
  const quiet = isQuiet(preferences.quietHours, now);
  const decide = (channel: Channel) =>
    [channel, decideChannel(event.priority, channel, { preferences, quiet })] as const;
  return Object.fromEntries(CHANNELS.map(decide)) as Record<Channel, ChannelDecision>;
}
