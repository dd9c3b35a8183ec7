/** @module The commands in `cli/projects/`, each with its loader. */
import type { CommandGroup, CommandLeaf } from "../command/command_entry.ts";

export const INIT: CommandLeaf = {
  name: "init",
  section: "Projects and deployments",
  summary: "Create svc.toml, detect the framework and link a project",
  load: () => import("./init.ts"),
};

export const LINK: CommandLeaf = {
  name: "link",
  section: "Projects and deployments",
  summary: "Link a directory to a project",
  load: () => import("./link.ts"),
};

/** Alias of `svc projects list`. Most people try this name first. */
export const LIST: CommandLeaf = {
  name: "list",
  section: "Projects and deployments",
  summary: "List projects, like `svc projects list`",
  load: () => import("./list_here.ts"),
};

export const PROJECTS: CommandGroup = {
  name: "projects",
  section: "Projects and deployments",
  summary: "Manage projects",
  commands: [
    {
      name: "list",
      summary: "List projects",
      load: () => import("./list.ts"),
    },
    {
      name: "create",
      summary: "Create a project",
      load: () => import("./create.ts"),
    },
    {
      name: "info",
      summary: "Show a project",
      load: () => import("./info.ts"),
    },
    {
      name: "update",
      summary: "Update a project's settings",
      load: () => import("./update.ts"),
    },
    {
      name: "git-credentials",
      summary: "Set or delete the credentials of a private repository",
      load: () => import("./git_credentials.ts"),
    },
    {
      name: "delete",
      summary: "Delete a project and all its deployments",
      load: () => import("./delete.ts"),
    },
  ],
};
