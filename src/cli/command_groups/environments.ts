/**
 * Commands for environments, their variables, and the choice of one.
 *
 * @module
 */
import type { CommandGroup } from "../command_entry.ts";

export const ENV_COMMANDS: CommandGroup = {
  name: "env",
  section: "Configuration",
  summary: "Manage and use environment variables",
  commands: [
    {
      name: "list",
      summary: "List variables, secrets masked",
      load: () => import("../commands/env_list.ts"),
    },
    {
      name: "set",
      summary: "Set a variable, or all of a dotenv file",
      load: () => import("../commands/env_set.ts"),
    },
    {
      name: "delete",
      summary: "Delete a variable from every scope",
      load: () => import("../commands/env_delete.ts"),
    },
    {
      name: "validate",
      summary: "Check that every required variable is set",
      load: () => import("../commands/env_validate.ts"),
    },
    {
      name: "exec",
      summary: "Run a command with the variables",
      load: () => import("../commands/env_exec.ts"),
    },
    {
      name: "pull",
      summary: "Refused: run the command with env exec instead",
      load: () => import("../commands/env_pull.ts"),
    },
  ],
};

export const ENVIRONMENTS_COMMANDS: CommandGroup = {
  name: "environments",
  section: "Configuration",
  summary: "Manage a project's environments",
  commands: [
    {
      name: "list",
      summary: "List environments",
      load: () => import("../commands/environments_list.ts"),
    },
    {
      name: "create",
      summary: "Create an environment",
      load: () => import("../commands/environments_create.ts"),
    },
    {
      name: "delete",
      summary: "Delete an environment with its variables",
      load: () => import("../commands/environments_delete.ts"),
    },
  ],
};

export const CONTEXT_COMMANDS: CommandGroup = {
  name: "context",
  section: "Configuration",
  summary: "Choose the environment that this checkout works with",
  commands: [
    {
      name: "use",
      summary: "Choose an environment",
      load: () => import("../commands/context_use.ts"),
    },
    {
      name: "show",
      summary: "Show the chosen environment",
      load: () => import("../commands/context_show.ts"),
    },
    {
      name: "clear",
      summary: "Forget the chosen environment",
      load: () => import("../commands/context_clear.ts"),
    },
  ],
};
