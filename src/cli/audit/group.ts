/**
 * The command of `cli/audit/`, with what loads it.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const AUDIT: CommandLeaf = {
  name: "audit",
  section: "Account",
  summary: "List who changed what in the workspace",
  load: () => import("./audit.ts"),
};
