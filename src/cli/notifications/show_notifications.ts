/** @module Formats notifications and preferences as readable text. */
import { type Priority } from "../../contract/events.ts";
import type { Notification, NotificationPreferences } from "../../contract/notifications.ts";
import { formatAge, printable } from "../terminal/format.ts";
import type { Palette } from "../terminal/color.ts";
import type { Ui } from "../terminal/ui.ts";

function painter(priority: Priority, colors: Palette): (text: string) => string {
  if (priority === "CRITICAL") return colors.red;
  if (priority === "HIGH") return colors.yellow;
  return priority === "LOW" ? colors.dim : (text) => text;
}

/** Formats a table of notifications, in which a star marks unread ones. */
export function formatNotifications(
  ui: Ui,
  items: readonly Notification[],
  now: number,
): string {
  const rows = items.map(({ read, priority, category, title, createdAt, id }) => [
    read ? "" : "*",
    priority,
    category,
    printable(title),
    formatAge(createdAt, now),
    id,
  ]);
  return ui.table(["", "PRIORITY", "CATEGORY", "TITLE", "AGE", "ID"], rows);
}

/** Formats a notification on separate lines, as it arrives. */
export function formatArrival(notification: Notification, colors: Palette): string {
  const { createdAt, priority, title, body, actionUrl } = notification;
  const paint = painter(priority, colors);
  const link = actionUrl === null ? "" : `\n  ${printable(actionUrl)}`;
  return `${colors.dim(createdAt)} ${paint(priority)} ${printable(title)}\n` +
    `  ${printable(body)}${link}`;
}

/** Formats preferences as a table with one row for each category. */
export function formatPreferences(ui: Ui, { categories }: NotificationPreferences): string {
  const rows = categories.map((
    { category, channels, minimumPriority, quietHours, deployments },
  ) => [
    category,
    Object.entries(channels).filter(([, on]) => on).map(([name]) => name).join(", ") || "-",
    minimumPriority,
    quietHours === null ? "-" : `${quietHours.start}-${quietHours.end}`,
    category === "Deployment" ? deployments ?? "all" : "-",
  ]);
  return ui.table(["CATEGORY", "CHANNELS", "MINIMUM", "QUIET (UTC)", "DEPLOYMENTS"], rows);
}
