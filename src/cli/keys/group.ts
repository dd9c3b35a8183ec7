/** @module The commands in `cli/keys/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

const PUBLISHERS: CommandGroup = {
  name: "publishers",
  summary: "Manage trusted publishers: CI workflows that deploy without a stored secret",
  fallback: "list",
  commands: [
    {
      name: "list",
      summary: "List trusted publishers with permissions and last use",
      load: () => import("./publishers/list.ts"),
    },
    {
      name: "add",
      summary: "Trust the workflows of a repository",
      load: () => import("./publishers/add.ts"),
    },
    {
      name: "remove",
      summary: "Remove a trusted publisher and its keys",
      load: () => import("./publishers/remove.ts"),
    },
  ],
};

export const KEYS: CommandGroup = {
  name: "keys",
  section: "Account",
  summary: "Manage API keys for CI and agents",
  commands: [
    {
      name: "list",
      summary: "List API keys with permissions and last use",
      load: () => import("./list.ts"),
    },
    {
      name: "create",
      summary: "Create an API key",
      load: () => import("./create.ts"),
    },
    {
      name: "update",
      summary: "Update an API key: name, permissions or expiry",
      load: () => import("./update.ts"),
    },
    {
      name: "revoke",
      summary: "Revoke an API key",
      load: () => import("./revoke.ts"),
    },
    PUBLISHERS,
  ],
};
