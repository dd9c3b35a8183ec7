/**
 * The command of `cli/schema/`, with what loads it.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const SCHEMA: CommandLeaf = {
  name: "schema",
  section: "Tool",
  summary: "Show the JSON Schema of what a command prints with --json",
  load: () => import("./schema.ts"),
};
