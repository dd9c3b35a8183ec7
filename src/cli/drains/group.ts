/** @module The commands in `cli/drains/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const DRAINS: CommandGroup = {
  name: "drains",
  section: "Projects and deployments",
  summary: "Send logs, errors and metrics to OpenTelemetry endpoints",
  commands: [
    {
      name: "list",
      summary: "List a project's drains and their health",
      load: () => import("./list.ts"),
    },
    {
      name: "add",
      summary: "Add a drain",
      load: () => import("./add.ts"),
    },
    {
      name: "remove",
      summary: "Remove a drain",
      load: () => import("./remove.ts"),
    },
    {
      name: "test",
      summary: "Send a sample log record",
      load: () => import("./test_send.ts"),
    },
  ],
};
