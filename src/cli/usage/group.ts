/**
 * The command of `cli/usage/`, with what loads it.
 *
 * @module
 */
import type { CommandLeaf } from "../command/mod.ts";

export const USAGE: CommandLeaf = {
  name: "usage",
  section: "Account",
  summary: "Show what a workspace or project uses of what it may have",
  load: () => import("./usage.ts"),
};
