/**
 * The commands of `cli/keys/`, with what loads each of them.
 *
 * @module
 */
import type { CommandGroup } from "../command/command_entry.ts";

const PUBLISHERS: CommandGroup = {
  name: "publishers",
  summary: "Manage trusted publishers: workflows of CI that get keys without a secret",
  fallback: "list",
  commands: [
    {
      name: "list",
      summary: "List trusted publishers, what their keys may do, and when they were used",
      load: () => import("./publishers/list.ts"),
    },
    {
      name: "add",
      summary: "Let the workflows of a repository get keys",
      load: () => import("./publishers/add.ts"),
    },
    {
      name: "remove",
      summary: "Remove a trusted publisher, with its keys",
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
      summary: "List API keys, what they may do, and when they were used",
      load: () => import("./list.ts"),
    },
    {
      name: "create",
      summary: "Create an API key; it is shown once",
      load: () => import("./create.ts"),
    },
    {
      name: "update",
      summary: "Change what an API key may do, or when it expires",
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
