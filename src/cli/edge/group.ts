/**
 * The commands of `cli/edge/`, with what loads each of them.
 *
 * @module
 */
import type { CommandGroup, CommandLeaf } from "../command/mod.ts";

export const PURGE: CommandLeaf = {
  name: "purge",
  section: "Rules and functions",
  summary: "Clear cached responses at the edge",
  load: () => import("./purge.ts"),
};

export const FUNCTIONS: CommandGroup = {
  name: "functions",
  section: "Rules and functions",
  summary: "Show the functions of a deployment",
  commands: [
    {
      name: "list",
      summary: "List the functions of a deployment",
      load: () => import("./functions_list.ts"),
    },
  ],
};
