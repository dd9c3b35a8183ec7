/**
 * The command of `cli/nodes/`, with what loads it.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const NODES: CommandLeaf = {
  name: "nodes",
  section: "Platform",
  summary: "List the nodes of the platform, and which leads what",
  load: () => import("./nodes.ts"),
};
