/** @module The commands in `cli/env/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const ENV: CommandGroup = {
  name: "env",
  section: "Configuration",
  summary: "Manage and use environment variables",
  commands: [
    {
      name: "list",
      summary: "List variables with secrets masked",
      load: () => import("./list.ts"),
    },
    {
      name: "set",
      summary: "Set a variable, or all variables in a dotenv file",
      load: () => import("./set.ts"),
    },
    {
      name: "delete",
      summary: "Delete a variable from every scope, or from one",
      load: () => import("./delete.ts"),
    },
    {
      name: "validate",
      summary: "Check that every required variable is set",
      load: () => import("./validate.ts"),
    },
    {
      name: "exec",
      summary: "Run a command with the variables",
      load: () => import("./exec.ts"),
    },
    {
      name: "pull",
      summary: "Not supported: use env exec instead",
      load: () => import("./pull.ts"),
    },
  ],
};
