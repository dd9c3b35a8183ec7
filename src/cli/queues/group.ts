/** @module The commands in `cli/queues/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const QUEUES: CommandGroup = {
  name: "queues",
  section: "Projects and deployments",
  summary: "Send messages to queues and handle dead letters",
  commands: [
    {
      name: "list",
      summary: "List an environment's queues with their counts",
      load: () => import("./list.ts"),
    },
    {
      name: "show",
      summary: "Show a queue and its dead letters",
      load: () => import("./show.ts"),
    },
    {
      name: "send",
      summary: "Send a message to a queue",
      load: () => import("./send.ts"),
    },
    {
      name: "retry",
      summary: "Deliver dead letters again",
      load: () => import("./retry.ts"),
    },
    {
      name: "purge",
      summary: "Delete a queue's messages",
      load: () => import("./purge.ts"),
    },
  ],
};
