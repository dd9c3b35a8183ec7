/**
 * Commands for projects.
 *
 * @module
 */
import type { CommandGroup } from "../command_entry.ts";

export const PROJECTS_COMMANDS: CommandGroup = {
  name: "projects",
  section: "Projects and deployments",
  summary: "Manage projects",
  commands: [
    {
      name: "list",
      summary: "List projects",
      load: () => import("../commands/projects_list.ts"),
    },
    {
      name: "create",
      summary: "Create a project",
      load: () => import("../commands/projects_create.ts"),
    },
    {
      name: "info",
      summary: "Show a project",
      load: () => import("../commands/projects_info.ts"),
    },
    {
      name: "update",
      summary: "Change a project's settings",
      load: () => import("../commands/projects_update.ts"),
    },
    {
      name: "git-credentials",
      summary: "Store or forget the credentials of a private repository",
      load: () => import("../commands/projects_git_credentials.ts"),
    },
    {
      name: "delete",
      summary: "Delete a project with all its deployments",
      load: () => import("../commands/projects_delete.ts"),
    },
  ],
};
