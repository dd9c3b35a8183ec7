/** @module The commands in `cli/notifications/`, each with its loader. */
import type { CommandGroup, CommandLeaf } from "../command/command_entry.ts";

export const NOTIFICATIONS: CommandGroup = {
  name: "notifications",
  section: "Notifications and automation",
  summary: "Read and manage notifications",
  commands: [
    {
      name: "list",
      summary: "Show the inbox or the archive",
      load: () => import("./list.ts"),
    },
    {
      name: "read",
      summary: "Mark notifications as read",
      load: () => import("./read.ts"),
    },
    {
      name: "archive",
      summary: "Archive notifications",
      load: () => import("./archive.ts"),
    },
    {
      name: "delete",
      summary: "Delete notifications",
      load: () => import("./delete.ts"),
    },
    {
      name: "watch",
      summary: "Show notifications as they arrive",
      load: () => import("./watch.ts"),
    },
    {
      name: "preferences",
      summary: "Show or change your notification preferences",
      load: () => import("./preferences.ts"),
    },
    {
      name: "test",
      summary: "Send a test message over a channel",
      load: () => import("./test_send.ts"),
    },
    {
      name: "dead-letters",
      summary: "List messages that could not be delivered",
      load: () => import("./dead_letters.ts"),
    },
    {
      name: "resend",
      summary: "Resend messages that could not be delivered",
      load: () => import("./resend.ts"),
    },
  ],
};

export const TRIGGER: CommandLeaf = {
  name: "trigger",
  section: "Notifications and automation",
  summary: "Trigger an event to test notifications and webhooks",
  load: () => import("./trigger.ts"),
};
