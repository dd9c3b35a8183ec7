/**
 * The commands of `cli/completion/`, with what loads each of them.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const COMPLETION: CommandLeaf = {
  name: "completion",
  section: "Tool",
  summary: "Print the script that completes svc in a shell",
  load: () => import("./print_script.ts"),
};

export const COMPLETE: CommandLeaf = {
  name: "complete",
  summary: "Answer a shell that completes a command line",
  hidden: true,
  load: () => import("./answer_shell.ts"),
};
