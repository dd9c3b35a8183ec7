/** @module The commands in `cli/environments/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const ENVIRONMENTS: CommandGroup = {
  name: "environments",
  section: "Configuration",
  summary: "Manage a project's environments",
  commands: [
    {
      name: "list",
      summary: "List environments",
      load: () => import("./list.ts"),
    },
    {
      name: "create",
      summary: "Create an environment",
      load: () => import("./create.ts"),
    },
    {
      name: "delete",
      summary: "Delete an environment and its variables",
      load: () => import("./delete.ts"),
    },
  ],
};

export const CONTEXT: CommandGroup = {
  name: "context",
  section: "Configuration",
  summary: "Choose this checkout's environment",
  commands: [
    {
      name: "use",
      summary: "Choose an environment",
      load: () => import("./context_use.ts"),
    },
    {
      name: "show",
      summary: "Show the chosen environment",
      load: () => import("./context_show.ts"),
    },
    {
      name: "clear",
      summary: "Clear the chosen environment",
      load: () => import("./context_clear.ts"),
    },
  ],
};
