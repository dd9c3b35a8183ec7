/** The IDs and bodies of webhook messages. Pure. @module */
import type { NotificationContent } from "../../delivery/types.ts";

/** An event's `webhook-id`. It is the same for every repeat. */
export function webhookMessageId(content: NotificationContent): string {
  return `msg_${content.id}`;
}

/** The body: type, timestamp and data, as the specification recommends. */
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
