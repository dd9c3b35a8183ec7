/** @module The commands in `cli/webhooks/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const WEBHOOKS: CommandGroup = {
  name: "webhooks",
  section: "Notifications and automation",
  summary: "Send the workspace's events to other services",
  commands: [
    {
      name: "list",
      summary: "List webhooks",
      load: () => import("./list.ts"),
    },
    {
      name: "create",
      summary: "Create a webhook",
      load: () => import("./create.ts"),
    },
    {
      name: "delete",
      summary: "Delete a webhook",
      load: () => import("./delete.ts"),
    },
    {
      name: "deliveries",
      summary: "Show the deliveries of a webhook",
      load: () => import("./deliveries.ts"),
    },
    {
      name: "redeliver",
      summary: "Resend a delivery",
      load: () => import("./redeliver.ts"),
    },
    {
      name: "test",
      summary: "Send a signed sample event",
      load: () => import("./test_send.ts"),
    },
  ],
};
