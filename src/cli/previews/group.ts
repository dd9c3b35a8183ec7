/** @module The commands in `cli/previews/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const PREVIEWS: CommandGroup = {
  name: "previews",
  section: "Projects and deployments",
  summary: "Protect previews, and share them",
  commands: [
    {
      name: "show",
      summary: "Show who can visit previews",
      load: () => import("./show.ts"),
    },
    {
      name: "set",
      summary: "Change who can visit previews",
      load: () => import("./set.ts"),
    },
    {
      name: "share",
      summary: "Create a link to a deployment or its branch",
      load: () => import("./share.ts"),
    },
    {
      name: "list",
      summary: "List share links",
      load: () => import("./list.ts"),
    },
    {
      name: "revoke",
      summary: "Revoke a share link",
      load: () => import("./revoke.ts"),
    },
    {
      name: "password",
      summary: "Set or remove the password for previews",
      load: () => import("./password.ts"),
    },
    {
      name: "bypass",
      summary: "Create or delete the key that lets CI and agents in",
      load: () => import("./bypass.ts"),
    },
  ],
};

export const MAINTENANCE: CommandGroup = {
  name: "maintenance",
  section: "Projects and deployments",
  summary: "Take production down for maintenance",
  commands: [
    {
      name: "on",
      summary: "Show a maintenance page to everyone except members",
      load: () => import("./maintenance_on.ts"),
    },
    {
      name: "off",
      summary: "Open production again",
      load: () => import("./maintenance_off.ts"),
    },
  ],
};
