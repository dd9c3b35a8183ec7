/**
 * The commands in `cli/edges/`, each with its loader.
 *
 * @module
 */
import type { CommandGroup } from "../command/command_entry.ts";

export const EDGES: CommandGroup = {
  name: "edges",
  section: "Platform",
  summary: "Manage the platform's front edges",
  commands: [
    {
      name: "list",
      summary: "List front edges and their state",
      load: () => import("./list.ts"),
    },
    {
      name: "add",
      summary: "Add a front edge, and print its key",
      load: () => import("./add.ts"),
    },
    {
      name: "drain",
      summary: "Drain a front edge, or use it again",
      load: () => import("./drain.ts"),
    },
    {
      name: "remove",
      summary: "Remove a front edge and its key",
      load: () => import("./remove.ts"),
    },
  ],
};
