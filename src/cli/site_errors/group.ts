/** @module The commands in `cli/site_errors/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const ERRORS: CommandGroup = {
  name: "errors",
  section: "Projects and deployments",
  summary: "Show errors in a project's functions and servers",
  commands: [
    {
      name: "list",
      summary: "List errors, most recent first",
      load: () => import("./list.ts"),
    },
    {
      name: "show",
      summary: "Show an error with its stack and latest occurrences",
      load: () => import("./show.ts"),
    },
  ],
};
