/** @module The commands in `cli/edge/`, each with its loader. */
import type { CommandGroup, CommandLeaf } from "../command/command_entry.ts";

const purge: CommandLeaf = {
  name: "purge",
  summary: "Clear cached responses at the edge",
  load: () => import("./purge.ts"),
};

export const CACHE: CommandGroup = {
  name: "cache",
  section: "Rules and functions",
  summary: "Manage the edge cache",
  commands: [purge],
};

/** The former name of `cache purge`, for existing scripts. */
export const PURGE: CommandLeaf = { ...purge, section: "Rules and functions", hidden: true };

export const FUNCTIONS: CommandGroup = {
  name: "functions",
  section: "Rules and functions",
  summary: "Show a deployment's functions",
  commands: [
    {
      name: "list",
      summary: "List a deployment's functions",
      load: () => import("./functions_list.ts"),
    },
  ],
};
