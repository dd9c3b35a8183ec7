/** @module The commands of `cli/account/`, each with its loader. */
import type { CommandGroup, CommandLeaf } from "../command/command_entry.ts";

export const WORKSPACE: CommandGroup = {
  name: "workspace",
  section: "Account",
  summary: "List workspaces and choose the default",
  commands: [
    {
      name: "list",
      summary: "List workspaces",
      load: () => import("./workspace_list.ts"),
    },
    {
      name: "switch",
      summary: "Choose the default workspace",
      load: () => import("./workspace_switch.ts"),
    },
  ],
};

export const LOGIN: CommandLeaf = {
  name: "login",
  section: "Account",
  summary: "Log in to the platform in a browser",
  load: () => import("./login.ts"),
};

export const LOGOUT: CommandLeaf = {
  name: "logout",
  section: "Account",
  summary: "Log out and revoke the token",
  load: () => import("./logout.ts"),
};

export const WHOAMI: CommandLeaf = {
  name: "whoami",
  section: "Account",
  summary: "Show the current user, workspace and key",
  load: () => import("./whoami.ts"),
};

export const GIT_CREDENTIAL: CommandLeaf = {
  name: "git-credential",
  section: "Account",
  summary: "Pass the key for a project's remote to git",
  load: () => import("./git_credential.ts"),
};
