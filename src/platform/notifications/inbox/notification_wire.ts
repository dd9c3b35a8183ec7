/** A notification as the API shows it. @module */
import type { Notification } from "../../../contract/notifications.ts";
import type { NotificationContent } from "../delivery/types.ts";
import type { RowState } from "./inbox_page.ts";

const time = (moment: number | null): string | null =>
  moment === null ? null : new Date(moment).toISOString();

/** Combines a notification's content and its state. */
export function notificationToWire(
  { createdAt, ...content }: NotificationContent,
  { readAt, archivedAt }: Pick<RowState, "readAt" | "archivedAt">,
): Notification {
  return {
    ...content,
    read: readAt !== null,
    readAt: time(readAt),
    archived: archivedAt !== null,
    archivedAt: time(archivedAt),
    createdAt: new Date(createdAt).toISOString(),
  };
}
