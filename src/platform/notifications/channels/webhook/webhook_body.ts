/** The IDs and bodies of webhook messages. Pure. @module */
import type { NotificationContent } from "../../delivery/types.ts";

/** Returns an event's `webhook-id`, which is the same for every attempt. */
export function webhookMessageId(content: NotificationContent): string {
  return `msg_${content.id}`;
}

/** Returns the body: type, timestamp and data, as the specification recommends. */
export function webhookBody(content: NotificationContent): string {
  const { event, createdAt, id, workspaceId, category, priority, title, body, actionUrl } = content;
  return JSON.stringify({
    type: event,
    timestamp: new Date(createdAt).toISOString(),
    data: {
      id,
      workspaceId,
      category,
      priority,
      title,
      body,
      actionUrl,
      details: content.data,
    },
  });
}
