/** @module The commands of `cli/cron/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const CRON: CommandGroup = {
  name: "cron",
  section: "Projects and deployments",
  summary: "Show and run scheduled tasks",
  commands: [
    {
      name: "list",
      summary: "List scheduled tasks with their next and last runs",
      load: () => import("./list.ts"),
    },
    {
      name: "run",
      summary: "Run a scheduled task now",
      load: () => import("./run.ts"),
    },
  ],
};
