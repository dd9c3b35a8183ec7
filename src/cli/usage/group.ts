/**
 * The command of `cli/usage/`, with what loads it.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const USAGE: CommandLeaf = {
  name: "usage",
  section: "Account",
  summary: "Show the usage and limits of a workspace or project",
  load: () => import("./usage.ts"),
};
