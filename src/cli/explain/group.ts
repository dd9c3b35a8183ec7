/**
 * The command of `cli/explain/`, with what loads it.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const EXPLAIN: CommandLeaf = {
  name: "explain",
  section: "Tool",
  summary: "Say what the code of an error means, and how to mend it",
  load: () => import("./explain.ts"),
};
