/**
 * The commands of `cli/upgrade/`, with what loads each of them.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const UPGRADE: CommandLeaf = {
  name: "upgrade",
  section: "Tool",
  summary: "Replace this program by a newer release",
  load: () => import("./upgrade.ts"),
};
