/** @module The commands in `cli/hooks/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const HOOKS: CommandGroup = {
  name: "hooks",
  section: "Notifications and automation",
  summary: "Manage and trigger deploy hooks",
  commands: [
    {
      name: "list",
      summary: "List deploy hooks and when they were last used",
      load: () => import("./list.ts"),
    },
    {
      name: "create",
      summary: "Create a deploy hook",
      load: () => import("./create.ts"),
    },
    {
      name: "rename",
      summary: "Rename a deploy hook",
      load: () => import("./rename.ts"),
    },
    {
      name: "regenerate",
      summary: "Regenerate a deploy hook's URL",
      load: () => import("./regenerate.ts"),
    },
    {
      name: "delete",
      summary: "Delete a deploy hook",
      load: () => import("./delete.ts"),
    },
    {
      name: "trigger",
      summary: "Deploy a commit with a hook's URL",
      load: () => import("./trigger.ts"),
    },
  ],
};

export const BUILDS: CommandGroup = {
  name: "builds",
  section: "Projects and deployments",
  summary: "Start, show and cancel builds from git",
  commands: [
    {
      name: "list",
      summary: "List builds",
      load: () => import("./builds_list.ts"),
    },
    {
      name: "start",
      summary: "Build a branch of the project's repository and follow the build",
      load: () => import("./builds_start.ts"),
    },
    {
      name: "cancel",
      summary: "Cancel a build",
      load: () => import("./builds_cancel.ts"),
    },
  ],
};
