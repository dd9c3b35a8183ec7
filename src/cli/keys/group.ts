/**
 * The commands of `cli/keys/`, with what loads each of them.
 *
 * @module
 */
import type { CommandGroup } from "../command/mod.ts";

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
  ],
};
