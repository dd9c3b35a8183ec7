/**
 * Commands for notifications and webhooks.
 *
 * @module
 */
import type { CommandGroup } from "../command_entry.ts";

export const NOTIFICATIONS_COMMANDS: CommandGroup = {
  name: "notifications",
  section: "Notifications and automation",
  summary: "Read notifications, choose which are sent",
  commands: [
    {
      name: "list",
      summary: "Show the inbox or the archive",
      load: () => import("../commands/notifications_list.ts"),
    },
    {
      name: "read",
      summary: "Mark notifications as read",
      load: () => import("../commands/notifications_read.ts"),
    },
    {
      name: "archive",
      summary: "Move notifications to the archive",
      load: () => import("../commands/notifications_archive.ts"),
    },
    {
      name: "delete",
      summary: "Delete notifications",
      load: () => import("../commands/notifications_delete.ts"),
    },
    {
      name: "watch",
      summary: "Show notifications as they come in",
      load: () => import("../commands/notifications_watch.ts"),
    },
    {
      name: "preferences",
      summary: "Show or change what is sent, and how",
      load: () => import("../commands/notifications_preferences.ts"),
    },
    {
      name: "test",
      summary: "Send a test message over a channel",
      load: () => import("../commands/notifications_test_send.ts"),
    },
    {
      name: "dead-letters",
      summary: "Show what could not be delivered",
      load: () => import("../commands/notifications_dead_letters.ts"),
    },
    {
      name: "resend",
      summary: "Send again what could not be delivered",
      load: () => import("../commands/notifications_resend.ts"),
    },
  ],
};

export const WEBHOOKS_COMMANDS: CommandGroup = {
  name: "webhooks",
  section: "Notifications and automation",
  summary: "Tell other services of the workspace's events",
  commands: [
    {
      name: "list",
      summary: "List webhooks",
      load: () => import("../commands/webhooks_list.ts"),
    },
    {
      name: "create",
      summary: "Create a webhook",
      load: () => import("../commands/webhooks_create.ts"),
    },
    {
      name: "delete",
      summary: "Delete a webhook",
      load: () => import("../commands/webhooks_delete.ts"),
    },
    {
      name: "deliveries",
      summary: "Show what a webhook was sent",
      load: () => import("../commands/webhooks_deliveries.ts"),
    },
    {
      name: "redeliver",
      summary: "Send a delivery again",
      load: () => import("../commands/webhooks_redeliver.ts"),
    },
    {
      name: "test",
      summary: "Send a signed example at once",
      load: () => import("../commands/webhooks_test_send.ts"),
    },
  ],
};
