/**
 * Commands for deploy hooks and builds from git.
 *
 * @module
 */
import type { CommandGroup } from "../command_entry.ts";

export const HOOKS_COMMANDS: CommandGroup = {
  name: "hooks",
  section: "Notifications and automation",
  summary: "Manage and trigger deploy hooks",
  commands: [
    {
      name: "list",
      summary: "List deploy hooks with their use",
      load: () => import("../commands/hooks_list.ts"),
    },
    {
      name: "create",
      summary: "Create a deploy hook; its URL is shown once",
      load: () => import("../commands/hooks_create.ts"),
    },
    {
      name: "rename",
      summary: "Rename a deploy hook",
      load: () => import("../commands/hooks_rename.ts"),
    },
    {
      name: "regenerate",
      summary: "Give a deploy hook a new URL",
      load: () => import("../commands/hooks_regenerate.ts"),
    },
    {
      name: "delete",
      summary: "Delete a deploy hook",
      load: () => import("../commands/hooks_delete.ts"),
    },
    {
      name: "trigger",
      summary: "Deploy a commit by a hook's URL",
      load: () => import("../commands/hooks_trigger.ts"),
    },
  ],
};

export const BUILDS_COMMANDS: CommandGroup = {
  name: "builds",
  section: "Projects and deployments",
  summary: "Show and cancel builds from git",
  commands: [
    {
      name: "list",
      summary: "List builds",
      load: () => import("../commands/builds_list.ts"),
    },
    {
      name: "cancel",
      summary: "Cancel a build",
      load: () => import("../commands/builds_cancel.ts"),
    },
  ],
};
